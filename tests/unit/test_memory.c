/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_memory.c - memory that runs out at every place of reading and grouping:
 * an error each time, and the same map once there is enough */
#include "config.h"

#include "lib/file.h"
#include "tests/check.h"
#include "topology/fabric/groups.h"
#include "topology/fabric/readers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The linker sends the library's calls here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd,
                  long offset);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
                  long offset);

static size_t calls, failing; /* the call that fails, 0 none */

static int fails(void)
{
    if (!failing || ++calls != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(align, size);
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
                  long offset)
{
    return fails() ? (void *)-1
                   : __real_mmap(at, size, prot, flags, fd, offset);
}

/* The printed map, NULL with 'err' as soon as anything failed. */
static char *map_text(const char *text, size_t len, lw_error_t *err)
{
    static const struct lw_groups_options none;
    struct lw_fabric *f = lw_fabric_create();
    struct lw_map *map = NULL;
    char *out = NULL;
    size_t n;

    if (!f)
        lw_err(err, "out of memory");
    else if (lw_ibnetdiscover_read(f, text, len, "input", err) == 0 &&
             (map = lw_groups_map(f, &none, err)))
        out = lw_map_print(map, &n, err);
    lw_map_destroy(map);
    lw_fabric_destroy(f);
    return out;
}

static char *input(const char *name, size_t *len)
{
    const char *top = getenv("top_srcdir");
    lw_error_t err = {0};
    char path[4096], *text;

    snprintf(path, sizeof(path), "%s/tests/data/fabric/%s/input",
             top ? top : ".", name);
    text = lw_file_read(path, 1 << 20, len, NULL, &err);
    lw_check_ok(text != NULL, err);
    return text;
}

static void check_input(const char *name)
{
    size_t len = 0, n, errors = 0;
    char *text = input(name, &len), *whole, *out;
    lw_error_t err = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    whole = map_text(text, len, &err);
    lw_check_ok(whole != NULL, err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
    for (n = 1; n < 100000; n++) {
        memset(&err, 0, sizeof(err));
        calls = 0;
        failing = n;
        out = map_text(text, len, &err);
        failing = 0;
        CU_ASSERT(out ? strcmp(out, whole) == 0 : err.text[0] != '\0');
        errors += !out;
        free(out);
        if (calls < n)
            break;
    }
    CU_ASSERT(errors > 20);
    CU_ASSERT(n < 100000);
    free(text);
    free(whole);
}

static void test_memory(void)
{
    check_input("group-swapped");
    check_input("host-factory");
    check_input("host-clash-domain");
    check_input("form-ports");
    check_input("group-three-tiers-management");
}

static const struct lw_test tests[] = {
    {"every allocation fails once", test_memory},
};

LW_CHECK_MAIN("memory", tests)
