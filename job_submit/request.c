/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.c - job_desc_msg_t to a request, and a decision back into it */
#include "config.h"

#include "job_submit/request.h"
#include "lib/conf.h"
#include "slurmapi/hostlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* srun, sbatch and salloc hand the SPANK option to slurmctld in this form
 * (Slurm's spank plugin names it _SLURM_SPANK_OPTION_<plugin>_<option>). */
#define OPTION "_SLURM_SPANK_OPTION_leafward_leafward="

/* Counts that Slurm leaves unset; REST sends NO_VAL where sbatch sends 0. */
static long count32(uint32_t n)
{
    return n == NO_VAL || n == INFINITE ? -1 : (long)n;
}

static long count16(uint16_t n)
{
    return n == NO_VAL16 || n == INFINITE16 ? -1 : (long)n;
}

/* Zero means unset as well. */
static long positive(long n)
{
    return n > 0 ? n : -1;
}

static bool is_set(const char *text)
{
    return text && *text;
}

/* One of the four tres_per_*: its GPUs, and the type that all must share. */
static long read_gpus(struct lw_submit *s, const char *text)
{
    struct lw_tres t;

    lw_tres_read(text, &t);
    if (t.mark)
        s->mark = t.mark;
    if (t.unclear)
        s->request.gpus_unclear = true;
    if (t.gpus <= 0)
        return t.gpus;
    if (s->request.gpu_type && strcmp(s->type, t.type) != 0)
        s->request.gpus_unclear = true;
    snprintf(s->type, sizeof(s->type), "%s", t.type);
    s->request.gpu_type = s->type;
    return t.gpus;
}

/* cpus_per_tres, mem_per_tres: the number only. */
static long per_gpu(const char *text)
{
    struct lw_tres t;

    lw_tres_read(text, &t);
    return t.unclear ? -1 : t.gpus;
}

static void read_tres(const job_desc_msg_t *job, struct lw_submit *s)
{
    struct lw_request *r = &s->request;

    r->gpus_job = read_gpus(s, job->tres_per_job);
    r->gpus_node = read_gpus(s, job->tres_per_node);
    r->gpus_task = read_gpus(s, job->tres_per_task);
    r->gpus_socket = read_gpus(s, job->tres_per_socket);
    r->cpus_per_gpu = per_gpu(job->cpus_per_tres);
    r->memory_gpu = per_gpu(job->mem_per_tres);
    if (!s->type[0])
        r->gpu_type = NULL;
}

static void read_counts(const job_desc_msg_t *job, struct lw_request *r)
{
    r->nodes_min = count32(job->min_nodes);
    r->nodes_max = count32(job->max_nodes);
    r->tasks = positive(count32(job->num_tasks));
    r->tasks_per_node = positive(count16(job->ntasks_per_node));
    r->cpus_per_task = positive(count16(job->cpus_per_task));
    r->cpus_min = positive(count32(job->min_cpus));
    r->sockets_per_node = positive(count16(job->sockets_per_node));
    r->minutes = count32(job->time_limit);
    if (job->pn_min_memory == NO_VAL64)
        return;
    if (job->pn_min_memory & MEM_PER_CPU)
        r->memory_cpu = (long)(job->pn_min_memory & ~MEM_PER_CPU);
    else
        r->memory_node = (long)job->pn_min_memory;
}

/* What takes the job out of our hands (rule 2). */
static void read_choices(const job_desc_msg_t *job, struct lw_request *r)
{
    uint32_t dist = job->task_dist & SLURM_DIST_STATE_BASE;

    r->exclusive =
        job->shared != NO_VAL16 && job->shared != 1 && job->shared <= 4;
    r->nodelist = is_set(job->req_nodes);
    r->switches = count32(job->req_switch) > 0;
    r->contiguous = job->contiguous == 1;
    r->arbitrary = job->task_dist != NO_VAL && dist == SLURM_DIST_ARBITRARY;
    r->reservation = is_set(job->reservation);
    r->array = is_set(job->array_inx);
#if LW_SLURM_AT_LEAST(23, 2)
    r->sizes = is_set(job->job_size_str);
#endif
#if LW_SLURM_AT_LEAST(24, 5)
    r->segment = job->segment_size && job->segment_size != NO_VAL16;
#endif
}

/* Minutes, or a number with a unit (30s, 15m, 4h); at most 30 days. */
static void read_wait(const char *value, size_t n, struct lw_request *r)
{
    char copy[16];
    long seconds;

    if (n >= sizeof(copy))
        return;
    memcpy(copy, value, n);
    copy[n] = '\0';
    if (lw_conf_seconds(copy, &seconds) < 0)
        return;
    if (strspn(copy, "0123456789") == n)
        seconds = seconds <= 43200 ? seconds * 60 : -1;
    if (seconds >= 0 && seconds <= 43200 * 60)
        r->wait = seconds;
}

/* off | pack | spread [,wait=MINUTES]; a value that is not understood is the
 * SPANK side's to refuse, and none here. */
static void read_option(const char *value, struct lw_request *r)
{
    static const char *const words[] = {"off", "pack", "spread"};
    size_t n, i;

    while (*value) {
        n = strcspn(value, ",");
        for (i = 0; i < 3; i++)
            if (strlen(words[i]) == n && strncmp(value, words[i], n) == 0)
                r->policy = (int)i;
        if (strncmp(value, "wait=", 5) == 0)
            read_wait(value + 5, n - 5, r);
        value += n + (value[n] == ',');
    }
}

static void read_options(const job_desc_msg_t *job, struct lw_request *r)
{
    uint32_t i;

    for (i = 0; job->spank_job_env && i < job->spank_job_env_size; i++)
        if (job->spank_job_env[i] &&
            strncmp(job->spank_job_env[i], OPTION, sizeof(OPTION) - 1) == 0)
            read_option(job->spank_job_env[i] + sizeof(OPTION) - 1, r);
}

static void read_excluded(const char *exc_nodes, struct lw_submit *s)
{
    if (!is_set(exc_nodes))
        return;
    s->request.exclude = exc_nodes;
    s->excluded = lw_hostlist_expand(exc_nodes, &s->nexcluded, NULL);
    s->request.excluded = (const char *const *)s->excluded;
    s->request.nexcluded = s->excluded ? s->nexcluded : 0;
    if (s->excluded)
        s->own = lw_hostlist_fold(s->request.excluded, s->request.nexcluded);
    if (s->own && lw_mark_holds(s->own))
        return;
    s->request.no_exclude = true;
}

static bool is_marked(const char *admin_comment)
{
    return admin_comment &&
           strncmp(admin_comment, LW_MARK, sizeof(LW_MARK) - 1) == 0;
}

void lw_submit_read(const job_desc_msg_t *job, struct lw_submit *s)
{
    *s = (struct lw_submit){.request = LW_REQUEST_INIT};
    s->request.partition = is_set(job->partition) ? job->partition : NULL;
    s->request.features = is_set(job->features) ? job->features : NULL;
    if (lw_features_alternatives(job->prefer) > LW_MAX_ALTERNATIVES)
        s->request.features = job->prefer;
    s->request.decided = is_marked(job->admin_comment);
    s->request.no_mark = is_set(job->admin_comment);
    read_tres(job, s);
    read_counts(job, &s->request);
    read_choices(job, &s->request);
    read_options(job, &s->request);
    read_excluded(job->exc_nodes, s);
}

void lw_submit_free(struct lw_submit *s)
{
    lw_names_free(s->excluded, s->nexcluded);
    free(s->own);
    s->own = NULL;
    s->excluded = NULL;
    s->nexcluded = 0;
}

/* Replace a text of the job; slurmctld frees it with xfree(). */
static void replace(char **slot, const char *text)
{
    slurm_xfree((void **)slot);
    *slot = slurm_xstrdup(text);
}

/* Append to a list with commas. */
static void append(char **slot, const char *text)
{
    size_t size = strlen(text) + 1 + (is_set(*slot) ? strlen(*slot) + 1 : 0);
    char *joined;

    if (!is_set(*slot)) {
        replace(slot, text);
        return;
    }
    if (!(joined = malloc(size)))
        return;
    snprintf(joined, size, "%s,%s", *slot, text);
    replace(slot, joined);
    free(joined);
}

void lw_submit_mark(const struct lw_submit *s, const struct lw_decision *d,
                    const char *ref, char *out, size_t size)
{
    const struct {
        const char *key;
        long value;
    } parts[] = {
        {"nodes", d->nodes > 0 ? d->nodes : s->request.nodes_min},
        {"groups", d->groups},
        {"switches", d->switches},
        {"wait", d->wait},
        {"segment", d->segment},
        {"patience", d->switches > 0 ? s->request.wait : -1},
    };
    size_t i, len;

    snprintf(out, size, LW_MARK " %s", lw_reason_word(d->reason));
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        len = strlen(out);
        if (parts[i].value >= 0)
            snprintf(out + len, size - len, " %s=%ld", parts[i].key,
                     parts[i].value);
    }
    len = strlen(out);
    snprintf(out + len, size - len, " ref=%s", ref);
}

/* In the form that this job's own client uses: slurmctld takes "gres:gpu"
 * (22.05) or "gres/gpu" (24.11), and only one of them. */
static void add_gpus(job_desc_msg_t *job, const struct lw_submit *s, long gpus)
{
    char text[LW_TRES_TYPE + 64];

    snprintf(text, sizeof(text), "gres%cgpu%s%s:%ld", s->mark,
             s->request.gpu_type ? ":" : "",
             s->request.gpu_type ? s->request.gpu_type : "", gpus);
    append(&job->tres_per_node, text);
}

/* Exclude what the decision says, if the mark, which is to say how to take
 * it back, has room for that; then 'mark' says so. */
static void exclude(job_desc_msg_t *job, const struct lw_submit *s,
                    const struct lw_decision *d, char *mark)
{
    char with[LW_MARK_SIZE], *before = job->exc_nodes;
    uint32_t sum;

    if (!d->exclude || is_set(job->admin_comment))
        return;
    job->exc_nodes = before ? slurm_xstrdup(before) : NULL;
    append(&job->exc_nodes, d->exclude);
    sum = lw_hostlist_sum(job->exc_nodes);
    if (sum && lw_mark_exclude(mark, (long)d->nexcluded, s->own ? s->own : "",
                               sum, with, sizeof(with)) == 0) {
        memcpy(mark, with, sizeof(with));
        slurm_xfree((void **)&before);
        return;
    }
    slurm_xfree((void **)&job->exc_nodes);
    job->exc_nodes = before;
}

void lw_submit_apply(job_desc_msg_t *job, const struct lw_submit *s,
                     const struct lw_decision *d, const char *ref)
{
    char mark[LW_MARK_SIZE];

    lw_submit_mark(s, d, ref, mark, sizeof(mark));
    if (d->nodes > 0)
        job->min_nodes = job->max_nodes = (uint32_t)d->nodes;
    if (d->gpus_node > 0 && s->mark)
        add_gpus(job, s, d->gpus_node);
    if (d->switches > 0) {
        job->req_switch = (uint32_t)d->switches;
        job->wait4switch = (uint32_t)d->wait;
    }
#if LW_SLURM_AT_LEAST(24, 5)
    if (d->segment > 0 && d->segment < NO_VAL16)
        job->segment_size = (uint16_t)d->segment;
#endif
    exclude(job, s, d, mark);
    if (d->features)
        replace(&job->features, d->features);
    if (!is_set(job->admin_comment))
        replace(&job->admin_comment, mark);
}

/* How often the word stands in the text, between spaces. */
static size_t count_word(const char *text, const char *word)
{
    size_t n = 0, len = strlen(word);
    const char *at = text;

    for (; at && (at = strstr(at, word)); at += len)
        if ((at == text || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            n++;
    return n;
}

/* Other places from which the word could have come into the command line. */
static bool may_be_elsewhere(const job_desc_msg_t *job, const char *word)
{
    const char *const texts[] = {job->script, job->name, job->comment};
    uint32_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i] && strstr(texts[i], word))
            return true;
    for (i = 0; job->argv && i < job->argc; i++)
        if (job->argv[i] && strstr(job->argv[i], word))
            return true;
    return false;
}

/* srun and salloc always listen for an answer that may come later, unless
 * they want it at once (allocate.c, 22.05 to 26.05); with --test-only srun
 * does not. sbatch differs in its command line only. */
bool lw_submit_is_test(const job_desc_msg_t *job)
{
    static const char word[] = "--test-only";

    if (!is_set(job->submit_line))
        return false;
    if (!job->script && !job->alloc_resp_port && !job->immediate)
        return true;
    return count_word(job->submit_line, word) > 0 &&
           !may_be_elsewhere(job, word);
}
