/* SPDX-License-Identifier: GPL-2.0-or-later */
/* natcmp.h - the order people expect of names: n2 before n10 */
#ifndef LW_NATCMP_H
#define LW_NATCMP_H

/* Compare like strcmp(), but runs of digits by their value; a total order
 * (n1 and n01 differ). */
int lw_natcmp(const char *a, const char *b);

#endif
