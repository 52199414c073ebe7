/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_map.c - any bytes as a fabric map, read, printed and read again */
#include "config.h"

#include "tests/fuzz/fuzz.h"
#include "topology/fabric/map.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_error_t err = {0};
    struct lw_map *map = lw_map_parse((const char *)data, size, "fuzz", &err);
    struct lw_map *again = NULL;
    char *text = NULL;
    size_t len = 0, i;

    if (!map) {
        fuzz_check(err.text[0] != '\0', "a map was refused without a reason");
        return 0;
    }
    for (i = 0; i < map->nnodes; i++)
        fuzz_check(lw_map_find_node(map, map->nodes[i].name) == (int)i,
                   "a node is not found");
    if ((text = lw_map_print(map, &len, &err)))
        again = lw_map_parse(text, len, "again", &err);
    fuzz_check(again != NULL, err.text);
    free(text);
    lw_map_destroy(map);
    lw_map_destroy(again);
    return 0;
}
