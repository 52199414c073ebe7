/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - the `leafward` command: find the subcommand, run it */
#include "config.h"

#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
};

static const struct command commands[] = {
#include "cli/commands.h"
};

static const size_t ncommands = sizeof(commands) / sizeof(commands[0]);
static const char *running = "leafward";

static void usage(FILE *out)
{
    size_t i;

    fputs("Usage: leafward COMMAND [OPTION...]\n\n"
          "Place Slurm GPU gangs on the fewest leaf-switch groups.\n\n",
          out);
    for (i = 0; i < ncommands; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].what);
    fputs("\n`leafward COMMAND --help` explains one command.\n", out);
}

int lw_cli_fail(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fprintf(stderr, "%s: ", running);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    return LW_EXIT_FINDINGS;
}

struct lw_settings *lw_cli_settings(void)
{
    lw_error_t err = {0};
    struct lw_settings *s = lw_settings_load(lw_settings_path(NULL), &err);

    if (err.text[0])
        fprintf(stderr, "%s: warning: %s; using the defaults\n", running,
                err.text);
    return s;
}

static int run(const struct command *c, int argc, char **argv)
{
    static char name[64];
    int code;

    snprintf(name, sizeof(name), "leafward %s", c->name);
    argv[0] = name;
    running = name;
    code = c->run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return lw_cli_fail("cannot write the output");
    return code;
}

int main(int argc, char **argv)
{
    size_t i;

    argp_err_exit_status = LW_EXIT_USAGE;
    if (argc < 2) {
        usage(stderr);
        return LW_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return LW_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("leafward " PACKAGE_VERSION);
        return LW_EXIT_OK;
    }
    for (i = 0; i < ncommands; i++)
        if (strcmp(commands[i].name, argv[1]) == 0)
            return run(&commands[i], argc - 1, argv + 1);
    lw_cli_fail("there is no command '%s'", argv[1]);
    usage(stderr);
    return LW_EXIT_USAGE;
}
