/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_ibnetdiscover.c - any bytes as fabric text, read, grouped, printed */
#include "config.h"

#include "tests/fuzz/fuzz.h"
#include "topology/fabric/groups.h"
#include "topology/fabric/readers.h"

#include <stdlib.h>

/* What was printed must read back: no input may make a map that the other
 * parts then refuse. */
static void check_map(const struct lw_map *map)
{
    lw_error_t err = {0};
    size_t len = 0;
    char *text = lw_map_print(map, &len, &err);
    struct lw_map *again = NULL;

    if (text)
        again = lw_map_parse(text, len, "again", &err);
    fuzz_check(again != NULL, err.text);
    lw_map_destroy(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct lw_groups_options none;
    struct lw_fabric *f = lw_fabric_create();
    lw_error_t err = {0};
    struct lw_map *map;

    if (f &&
        lw_ibnetdiscover_read(f, (const char *)data, size, "fuzz", &err) == 0 &&
        (map = lw_groups_map(f, &none, &err))) {
        check_map(map);
        lw_map_destroy(map);
    }
    lw_fabric_destroy(f);
    return 0;
}
