/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_source.c - any bytes as a source, read and grouped: of the format that
 * LW_FUZZ_FORMAT names, else of the one that they look like */
#include "config.h"

#include "tests/fuzz/fuzz.h"
#include "topology/fabric/groups.h"
#include "topology/fabric/readers.h"

#include <stdlib.h>
#include <string.h>

/* Host lists are libslurm's; here a list is one name. */
static char **expand(const char *text, size_t *count, lw_error_t *err)
{
    char **names = calloc(1, sizeof(*names));

    (void)err;
    *count = 1;
    if (names && !(names[0] = strdup(text))) {
        free(names);
        names = NULL;
    }
    return names;
}

static const struct lw_reader *choose(const char *text, size_t size)
{
    const char *format = getenv("LW_FUZZ_FORMAT");
    const struct lw_reader *r;

    r = format ? lw_reader_find(format) : lw_reader_guess(text, size);
    fuzz_check(r != NULL, "there is no such format");
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct lw_groups_options none;
    const char *text = (const char *)data;
    const struct lw_reader *r = choose(text, size);
    struct lw_fabric *f = lw_fabric_create();
    lw_error_t err = {0};
    struct lw_map *map;
    size_t len = 0;
    char *json;

    if (!f)
        return 0;
    lw_fabric_set_expand(f, expand);
    if (r->read(f, text, size, "fuzz", &err) < 0) {
        fuzz_check(err.text[0] != '\0', "a source was refused without reason");
    } else if ((map = lw_groups_map(f, &none, &err))) {
        json = lw_map_print(map, &len, &err);
        fuzz_check(json != NULL, err.text);
        free(json);
        lw_map_destroy(map);
    }
    lw_fabric_destroy(f);
    return 0;
}
