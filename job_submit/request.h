/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h - job_desc_msg_t to a request, and a decision back into it */
#ifndef LW_SUBMIT_REQUEST_H
#define LW_SUBMIT_REQUEST_H

#include "slurmapi/adapter.h"
#include "topology/place/decide.h"
#include "topology/place/mark.h"
#include "topology/place/tres.h"

#define LW_REF_SIZE 12

/* A request with the memory behind it; texts are borrowed from the job. */
struct lw_submit {
    struct lw_request request;
    char type[LW_TRES_TYPE];
    char mark;       /* ':' or '/', as this job's client writes "gres:gpu" */
    char **excluded; /* the names of exc_nodes .. */
    size_t nexcluded;
    char *own; /* .. folded, for the mark; NULL when it has no room for them */
};

/* Read the job. Never fails: what is not understood is marked unclear. Free
 * with lw_submit_free(). */
void lw_submit_read(const job_desc_msg_t *job, struct lw_submit *submit);
void lw_submit_free(struct lw_submit *submit);

/* Write a LW_REWRITE into the job, and our mark into admin_comment unless
 * something stands there. Nodes are excluded only where the mark says so:
 * by it they are let in again. */
void lw_submit_apply(job_desc_msg_t *job, const struct lw_submit *submit,
                     const struct lw_decision *decision, const char *ref);

/* The text for admin_comment: "leafward: gang nodes=4 groups=1 switches=1
 * wait=14400 ref=7f3a9c21" (docs/mark-format.md); without exclusions. */
void lw_submit_mark(const struct lw_submit *submit,
                    const struct lw_decision *decision, const char *ref,
                    char *out, size_t size);

/* True for `--test-only`: no job follows. slurmctld hands the plugin the same
 * message as for a submission, so this goes by what the client tells of
 * itself; false on any doubt. */
bool lw_submit_is_test(const job_desc_msg_t *job);

#endif
