/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - a fuzz target as a plain program: run it over saved inputs, whole
 * and cut off after every line */
#include "config.h"

#include "lib/file.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>

#define INPUT_LIMIT (16 * 1024 * 1024)

static size_t inputs;

/* A block of exactly the input's size, so that memory checkers see a byte
 * read too many. */
static void run(const char *text, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);

    fuzz_check(copy != NULL, "out of memory");
    if (len)
        memcpy(copy, text, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
    inputs++;
}

static int replay_file(const char *path)
{
    lw_error_t err = {0};
    size_t len = 0, i, cuts = 0;
    char *text = lw_file_read(path, INPUT_LIMIT, &len, NULL, &err);

    if (!text) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    run(text, len);
    for (i = 0; i < len && cuts < 200; i++)
        if (text[i] == '\n' || (len < 2000 && i % 7 == 0)) {
            run(text, i);
            cuts++;
        }
    free(text);
    return 0;
}

static int replay_directory(const char *path)
{
    DIR *dir = opendir(path);
    char name[PATH_MAX];
    struct dirent *e;
    int rc = 0;

    if (!dir) {
        perror(path);
        return 1;
    }
    while ((e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        rc |= replay_file(name);
    }
    closedir(dir);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = 0, i;

    for (i = 1; i < argc; i++)
        rc |= replay_directory(argv[i]);
    printf("%zu inputs\n", inputs);
    return rc || inputs == 0;
}
