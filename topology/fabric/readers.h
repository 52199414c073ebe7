/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readers.h - the sources a fabric can be read from */
#ifndef LW_READERS_H
#define LW_READERS_H

#include "topology/fabric/fabric.h"

/* One format. 'knows' looks at the start of the text ('len' bytes of all of
 * it) and says whether it is of this format. */
struct lw_reader {
    const char *name; /* as in --format and in the map's sources */
    bool (*knows)(const char *text, size_t len);
    int (*read)(struct lw_fabric *f, const char *text, size_t len,
                const char *source, lw_error_t *err);
    /* Where a format can be read in pieces: 'open' gives what 'feed' takes
     * whole lines into, NULL when out of memory; 'close' ends and frees it,
     * also after a failure. NULL where the text has to be whole. */
    struct lw_feed *(*open)(struct lw_fabric *f, const char *source,
                            size_t expected);
    int (*feed)(struct lw_feed *feed, const char *text, size_t len,
                lw_error_t *err);
    int (*close)(struct lw_feed *feed, lw_error_t *err);
};

/* The reader of that name, NULL when there is none. */
const struct lw_reader *lw_reader_find(const char *name);

/* The reader that knows the text; the one of ibnetdiscover when none does,
 * since it names what it cannot read. */
const struct lw_reader *lw_reader_guess(const char *text, size_t len);

/* All names, separated by ", ", into 'out'. */
void lw_reader_names(char *out, size_t size);

/* A GUID to name map as ibnetdiscover's --node-name-map takes it: lines of
 * `0xGUID "name"`, comments from # on. GUIDs that the fabric does not hold
 * are counted in '*unused' (may be NULL). 0, or -1 with 'err'. */
int lw_names_read(struct lw_fabric *f, const char *text, size_t len,
                  const char *source, size_t *unused, lw_error_t *err);

#endif
