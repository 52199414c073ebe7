/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_topoconf.c - any bytes as a topology.conf that others wrote: checked,
 * and our section put into it */
#include "config.h"

#include "tests/fuzz/fuzz.h"
#include "topology/fabric/writers.h"

#include <stdlib.h>
#include <string.h>

#define SECTION "SwitchName=ours Nodes=n1\n"

/* What was put in is found again, and putting it in again changes nothing. */
static void check_section(const char *old)
{
    lw_error_t err = {0};
    char *text = lw_section_replace(old, SECTION, "fuzz", &err), *found, *again;

    if (!text)
        return;
    found = lw_section_find(text);
    fuzz_check(found && strcmp(found, SECTION) == 0, "the section is lost");
    again = lw_section_replace(text, SECTION, "fuzz", &err);
    fuzz_check(again && strcmp(again, text) == 0, "the section moved");
    free(text);
    free(found);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    struct lw_topoconf conf;
    lw_error_t err = {0};

    if (!text)
        return 0;
    if (lw_topoconf_parse(&conf, text, "fuzz", &err) == 0) {
        lw_topoconf_check(&conf, NULL, "fuzz", &err);
        lw_topoconf_free(&conf);
    }
    lw_topoyaml_check(text, "fuzz", &err);
    check_section(text);
    free(text);
    return 0;
}
