dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl lw.m4 - what configure looks for, and what it says at the end

dnl A library that may be absent turns its part off; each message names the
dnl Debian package, so that the reader can act on it.

AC_DEFUN([LW_CHECK_FLAGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [treat warnings as errors])])
    AC_ARG_ENABLE([sanitizers],
        [AS_HELP_STRING([--enable-sanitizers],
            [build with AddressSanitizer and UndefinedBehaviorSanitizer])])
    AC_ARG_ENABLE([fuzzers],
        [AS_HELP_STRING([--enable-fuzzers],
            [build the fuzz targets with libFuzzer (needs clang)])])
    LW_CFLAGS="-std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes"
    LW_CFLAGS="$LW_CFLAGS -Wmissing-prototypes -Wvla -fvisibility=hidden"
    LW_LDFLAGS="-Wl,-z,relro,-z,now"
    AS_IF([test "x$enable_werror" = xyes], [LW_CFLAGS="$LW_CFLAGS -Werror"])
    AS_IF([test "x$enable_sanitizers" = xyes], [
        LW_CFLAGS="$LW_CFLAGS -fsanitize=address,undefined"
        LW_CFLAGS="$LW_CFLAGS -fno-sanitize-recover=undefined"
        LW_CFLAGS="$LW_CFLAGS -fno-omit-frame-pointer"
        LW_LDFLAGS="$LW_LDFLAGS -fsanitize=address,undefined"
    ])
    AS_IF([test "x$enable_fuzzers" = xyes],
        [LW_CFLAGS="$LW_CFLAGS -fsanitize=fuzzer-no-link"])
    AC_SUBST([LW_CFLAGS])
    AC_SUBST([LW_LDFLAGS])
    AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])
    AM_CONDITIONAL([FUZZERS], [test "x$enable_fuzzers" = xyes])
])

AC_DEFUN([LW_CHECK_LIBRARIES], [
    PKG_CHECK_MODULES([JANSSON], [jansson >= 2.10], [],
        [AC_MSG_ERROR([jansson is missing (Debian: libjansson-dev)])])
    PKG_CHECK_MODULES([INIH], [inih], [],
        [AC_MSG_ERROR([libinih is missing (Debian: libinih-dev)])])
    PKG_CHECK_MODULES([NETTLE], [nettle], [],
        [AC_MSG_ERROR([nettle is missing (Debian: nettle-dev)])])
    PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.1], [have_hwloc=yes],
        [have_hwloc="no (Debian: libhwloc-dev)"])
    PKG_CHECK_MODULES([VERBS], [libibverbs], [have_verbs=yes],
        [have_verbs="no (Debian: libibverbs-dev)"])
    PKG_CHECK_MODULES([CUNIT], [cunit], [have_cunit=yes],
        [have_cunit="no (Debian: libcunit1-dev)"])
    AS_IF([test "x$have_verbs" = xyes],
        [AC_DEFINE([HAVE_VERBS], [1], [Define when libibverbs is there.])])
    AS_IF([test "x$have_hwloc" = xyes],
        [AC_DEFINE([HAVE_HWLOC], [1], [Define when hwloc is there.])])
    AM_CONDITIONAL([HAVE_HWLOC], [test "x$have_hwloc" = xyes])
    AM_CONDITIONAL([HAVE_VERBS], [test "x$have_verbs" = xyes])
    AM_CONDITIONAL([HAVE_CUNIT], [test "x$have_cunit" = xyes])
])

dnl Debian ships no slurm.pc, so Slurm is found by its header.
AC_DEFUN([LW_CHECK_SLURM], [
    AC_ARG_WITH([slurm],
        [AS_HELP_STRING([--with-slurm=DIR],
            [root of a Slurm installation (DIR/include/slurm/slurm.h or
             DIR/usr/include/slurm/slurm.h)])],
        [], [with_slurm=])
    AC_ARG_WITH([slurm-plugindir],
        [AS_HELP_STRING([--with-slurm-plugindir=DIR],
            [where that Slurm looks for plugins (PluginDir)])],
        [], [with_slurm_plugindir=])
    have_slurm="no (Debian: libslurm-dev)"
    SLURM_CPPFLAGS= SLURM_LDFLAGS= slurm_root=
    AS_IF([test "x$with_slurm" != xno], [
        AS_IF([test -n "$with_slurm" && test "x$with_slurm" != xyes], [
            for d in "$with_slurm" "$with_slurm/usr"; do
                AS_IF([test -f "$d/include/slurm/slurm.h"], [slurm_root=$d])
            done
            AS_IF([test -z "$slurm_root"], [AC_MSG_ERROR(
                [no include/slurm/slurm.h below $with_slurm])])
            SLURM_CPPFLAGS="-isystem $slurm_root/include"
        ])
        saved_CPPFLAGS=$CPPFLAGS
        CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
        AC_CHECK_HEADERS([slurm/slurm.h], [have_slurm=yes])
        AS_IF([test "x$have_slurm" = xyes], [
            AC_MSG_CHECKING([for the Slurm version])
            AC_COMPUTE_INT([slurm_number], [SLURM_VERSION_NUMBER],
                [@%:@include <slurm/slurm_version.h>], [slurm_number=0])
            slurm_version=`printf '%d.%02d.%d' \
                @S|@((slurm_number >> 16)) \
                @S|@(((slurm_number >> 8) & 255)) @S|@((slurm_number & 255))`
            AC_MSG_RESULT([$slurm_version])
        ])
        CPPFLAGS=$saved_CPPFLAGS
    ])
    AS_IF([test "x$have_slurm" = xyes], [LW_FIND_SLURM_PLUGINS])
    AM_CONDITIONAL([HAVE_SLURM], [test "x$have_slurm" = xyes])
    AS_IF([test "x$have_slurm" = xyes],
        [AC_DEFINE([HAVE_SLURM], [1], [Define when libslurm is there.])])
    AC_SUBST([SLURM_CPPFLAGS])
    AC_SUBST([SLURM_LDFLAGS])
    AC_SUBST([slurmplugindir])
    AC_SUBST([slurm_version])
])

dnl The plugin directory is the one that already holds Slurm's own plugins.
AC_DEFUN([LW_FIND_SLURM_PLUGINS], [
    AC_MSG_CHECKING([where Slurm looks for plugins])
    multiarch=`$CC -print-multiarch 2>/dev/null`
    slurmplugindir=$with_slurm_plugindir
    base=${slurm_root:-/usr}
    for d in "$base/lib/$multiarch" "$base/lib64" "$base/lib"; do
        AS_IF([test -n "$slurm_root" && test -e "$d/libslurm.so"],
            [SLURM_LDFLAGS="-L$d"])
        for p in "$d/slurm-wlm" "$d/slurm"; do
            AS_IF([test -z "$slurmplugindir" && \
                   ls "$p"/select_*.so >/dev/null 2>&1],
                [slurmplugindir=$p])
        done
    done
    AS_IF([test -z "$slurmplugindir"], [slurmplugindir='${libdir}/slurm'])
    AC_MSG_RESULT([$slurmplugindir])
])

AC_DEFUN([LW_SUMMARY], [
    AS_IF([test "x$have_slurm" = xyes],
        [slurm_text="yes, for Slurm $slurm_version, into $slurmplugindir"],
        [slurm_text="$have_slurm"])
    AC_MSG_NOTICE([Leafward $PACKAGE_VERSION will build:
    leafward command               yes (live Slurm state: $have_slurm)
    job_submit and SPANK plugins   $slurm_text
    node inventory by hwloc        $have_hwloc
    HCA ports by libibverbs        $have_verbs
    unit tests by CUnit            $have_cunit
    configuration                  $sysconfdir/leafward
    sanitizers                     ${enable_sanitizers:-no}])
])
