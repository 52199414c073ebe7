/* SPDX-License-Identifier: GPL-2.0-or-later */
/* users.c - names of users by uid, asked once each */
#include "config.h"

#include "lib/strtab.h"
#include "slurmapi/loader.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct known {
    uid_t uid;
    size_t name;
};

struct lw_users {
    struct lw_strtab *names;
    struct known *known;
    size_t count;
};

struct lw_users *lw_users_create(void)
{
    struct lw_users *u = calloc(1, sizeof(*u));

    if (u && !(u->names = lw_strtab_create())) {
        free(u);
        return NULL;
    }
    return u;
}

void lw_users_destroy(struct lw_users *u)
{
    if (!u)
        return;
    lw_strtab_destroy(u->names);
    free(u->known);
    free(u);
}

/* Ask the name service; a user that it does not know is its number. */
static size_t ask(struct lw_users *u, uid_t uid)
{
    char space[4096], number[32];
    struct passwd entry, *found = NULL;
    const char *name = number;

    snprintf(number, sizeof(number), "%lu", (unsigned long)uid);
    if (getpwuid_r(uid, &entry, space, sizeof(space), &found) == 0 && found)
        name = found->pw_name;
    return lw_strtab_add(u->names, name, strlen(name));
}

const char *lw_users_name(struct lw_users *u, uid_t uid)
{
    struct known *grown;
    size_t i, name;

    for (i = 0; i < u->count; i++)
        if (u->known[i].uid == uid)
            return lw_strtab_name(u->names, u->known[i].name);
    if (!(grown = realloc(u->known, (u->count + 1) * sizeof(*grown))))
        return NULL;
    u->known = grown;
    if ((name = ask(u, uid)) == LW_STRTAB_NONE)
        return NULL;
    grown[u->count].uid = uid;
    grown[u->count++].name = name;
    return lw_strtab_name(u->names, name);
}

const char *lw_users_keep(struct lw_users *u, const char *text, size_t len)
{
    size_t i = lw_strtab_add(u->names, text, len);

    return i == LW_STRTAB_NONE ? NULL : lw_strtab_name(u->names, i);
}
