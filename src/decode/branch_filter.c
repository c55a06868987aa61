// SPDX-License-Identifier: GPL-2.0-only
/*
 * A filter that perf script loads (--dlfilter, tools/perf/Documentation/perf-dlfilter.txt): it hands what perf's
 * decoder finds to auxbpf, as messages, and keeps perf from printing it. What perf prints itself, the errors of
 * its decoder, takes the same way: so it is known between which branches they are.
 */
#include <endian.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <perf/perf_dlfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decoded.h"
#include "decode/task_filter.h"

_Static_assert((int)BRANCH_CALL == (int)PERF_DLFILTER_FLAG_CALL, "perf's flags");
_Static_assert((int)BRANCH_INTERRUPT == (int)PERF_DLFILTER_FLAG_INTERRUPT, "perf's flags");
_Static_assert((int)BRANCH_END == (int)PERF_DLFILTER_FLAG_TRACE_END, "perf's flags");

#define EXPORTED __attribute__((visibility("default")))
#define BUFFER_SIZE (1 << 20)
#define LONGEST_TEXT 4096
#define NR_TOLD 64
#define ALIGN(len) (((len) + 7) & ~(size_t)7)

/*
 * A function that has its number. It is found by perf's own strings, which stay where they are as long as perf knows
 * the function; of a BPF program that goes they may become those of another one, so the name is compared too.
 */
struct known {
	const char *symbol, *object;
	char *name; /* a copy of the symbol; NULL: it has none */
	uint64_t start;
	function_id id; /* 0: the slot is free */
};

/* A call site that has its number; perf's strings are not needed for it. */
struct known_site {
	function_id function;
	uint64_t address;
	site_id id; /* 0: the slot is free */
};

struct filter {
	int fd;
	uint64_t begin, end;
	struct task_filter task;
	struct known *known;
	size_t nr_slots, nr_known; /* slots: a power of two */
	bool with_sites;
	struct known_site *sites;
	size_t nr_site_slots, nr_sites; /* likewise */
	FILE *own_stdout;		/* perf's, until it is over */
	struct {
		int32_t tid;
		const char *comm;
	} told[NR_TOLD]; /* the names that tasks had last, by the last digits of their numbers */
	size_t len;
	char buffer[BUFFER_SIZE];
};

EXPORTED struct perf_dlfilter_fns perf_dlfilter_fns;

static int flush(struct filter *f)
{
	for (size_t done = 0; done < f->len;) {
		ssize_t n = write(f->fd, f->buffer + done, f->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	f->len = 0;
	return 0;
}

/* Returns room for a message of @size bytes, with its head; NULL if it cannot be had. */
static void *add(struct filter *f, enum decoded_kind kind, size_t size)
{
	struct decoded_head *head;

	size = ALIGN(size);
	if (f->len + size > BUFFER_SIZE && flush(f))
		return NULL;
	head = (struct decoded_head *)(void *)(f->buffer + f->len);
	memset(head, 0, size);
	*head = (struct decoded_head){.size = (uint32_t)size, .kind = kind};
	f->len += size;
	return head;
}

static size_t text_len(const char *text)
{
	return strnlen(text, LONGEST_TEXT);
}

static int tell_function(struct filter *f, const struct known *known)
{
	const char *name = known->symbol ? known->symbol : "", *object = known->object ? known->object : "";
	size_t len = text_len(name);
	struct decoded_function *m = add(f, DECODED_FUNCTION, sizeof(*m) + len + text_len(object) + 2);

	if (!m)
		return -EIO;
	m->id = known->id;
	m->name_len = (uint32_t)len + 1;
	memcpy(m + 1, name, len);
	memcpy((char *)(m + 1) + len + 1, object, text_len(object));
	return 0;
}

static size_t hash(const struct known *key)
{
	uint64_t h = (uint64_t)(uintptr_t)key->symbol ^ (uint64_t)(uintptr_t)key->object << 20 ^ key->start;

	return (size_t)(h * 0x9e3779b97f4a7c15u >> 20);
}

static bool is_same(const struct known *known, const struct known *key)
{
	return known->symbol == key->symbol && known->object == key->object && known->start == key->start &&
	       (!key->symbol || !strcmp(known->name, key->symbol));
}

/* Finds the slot of @key, or the free one where it belongs. */
static struct known *find_slot(struct known *slots, size_t nr, const struct known *key)
{
	size_t i = hash(key) & (nr - 1);

	while (slots[i].id && !is_same(&slots[i], key))
		i = (i + 1) & (nr - 1);
	return &slots[i];
}

static int grow(struct filter *f)
{
	size_t nr = f->nr_slots ? f->nr_slots * 2 : 4096;
	struct known *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr_slots; i++) {
		size_t to = hash(&f->known[i]) & (nr - 1);

		while (slots[to].id)
			to = (to + 1) & (nr - 1);
		if (f->known[i].id)
			slots[to] = f->known[i];
	}
	free(f->known);
	f->known = slots;
	f->nr_slots = nr;
	return 0;
}

static int add_function(struct filter *f, const struct known *key, struct known *slot)
{
	char *name = key->symbol ? strdup(key->symbol) : NULL;

	if (key->symbol && !name)
		return -ENOMEM;
	*slot = *key;
	slot->name = name;
	slot->id = (function_id)++f->nr_known;
	return tell_function(f, slot);
}

/* Finds the number of the function at a place, and tells of it at its first time. Returns 0 or a negative errno. */
static int find_function(struct filter *f, const struct perf_dlfilter_al *al, function_id *ret)
{
	struct known key = {.symbol = al->sym, .object = al->dso, .start = al->sym ? al->sym_start : 0};
	struct known *slot;
	int err = f->nr_known * 2 >= f->nr_slots ? grow(f) : 0;

	if (err)
		return err;
	slot = find_slot(f->known, f->nr_slots, &key);
	if (!slot->id)
		err = add_function(f, &key, slot);
	*ret = slot->id;
	return err;
}

static size_t hash_site(const struct known_site *key)
{
	uint64_t h = key->address ^ (uint64_t)key->function << 40;

	return (size_t)(h * 0x9e3779b97f4a7c15u >> 20);
}

/* Finds the slot of @key, or the free one where it belongs. */
static struct known_site *find_site_slot(struct known_site *slots, size_t nr, const struct known_site *key)
{
	size_t i = hash_site(key) & (nr - 1);

	while (slots[i].id && (slots[i].function != key->function || slots[i].address != key->address))
		i = (i + 1) & (nr - 1);
	return &slots[i];
}

static int grow_sites(struct filter *f)
{
	size_t nr = f->nr_site_slots ? f->nr_site_slots * 2 : 4096;
	struct known_site *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr_site_slots; i++) {
		if (f->sites[i].id)
			*find_site_slot(slots, nr, &f->sites[i]) = f->sites[i];
	}
	free(f->sites);
	f->sites = slots;
	f->nr_site_slots = nr;
	return 0;
}

static int tell_site(struct filter *f, const struct perf_dlfilter_al *al, const struct known_site *known,
		     bool is_kernel)
{
	struct decoded_site *m = add(f, DECODED_SITE, sizeof(*m));
	uint32_t id_size = al->buildid && al->buildid_size <= BUILD_ID_MAX ? al->buildid_size : 0;

	if (!m)
		return -EIO;
	m->id = known->id;
	m->site = (struct call_site){.address = known->address,
				     .start = known->address - (al->sym ? al->symoff : 0),
				     .function = known->function,
				     .object.size = (uint8_t)id_size,
				     .is_kernel = is_kernel};
	if (id_size)
		memcpy(m->site.object.data, al->buildid, id_size);
	return 0;
}

/* Whether a branch enters a function from where it is, as far as it tells itself. */
static bool enters(const struct branch *b)
{
	if (b->flags & (BRANCH_BEGIN | BRANCH_END | BRANCH_RETURN))
		return false;
	return b->flags & BRANCH_CALL || b->from_function != b->to_function;
}

/*
 * Finds the number of the call site that a branch comes from, which is at @al, and tells of it at its first time. Returns 0 or a
 * negative errno.
 */
static int find_site(struct filter *f, const struct perf_dlfilter_al *al, const struct branch *b,
		     site_id *ret)
{
	/* The kernel's own code is in several maps of perf's, each of which has offsets of its own. */
	struct known_site key = {b->from_function, branch__is_kernel(b->from) ? b->from : al->addr, 0}, *slot;
	int err = f->nr_sites * 2 >= f->nr_site_slots ? grow_sites(f) : 0;

	if (err)
		return err;
	slot = find_site_slot(f->sites, f->nr_site_slots, &key);
	if (!slot->id) {
		key.id = (site_id)++f->nr_sites;
		*slot = key;
		err = tell_site(f, al, slot, branch__is_kernel(b->from));
	}
	*ret = slot->id;
	return err;
}

static int tell_task(struct filter *f, int32_t tid, const char *comm)
{
	size_t slot = (uint32_t)tid % NR_TOLD;
	struct decoded_task *m;

	if (f->told[slot].tid == tid && f->told[slot].comm == comm)
		return 0;
	m = add(f, DECODED_TASK, sizeof(*m) + text_len(comm) + 1);
	if (!m)
		return -EIO;
	m->tid = tid;
	memcpy(m + 1, comm, text_len(comm));
	f->told[slot].tid = tid;
	f->told[slot].comm = comm;
	return 0;
}

static bool is_in_part(const struct filter *f, const struct perf_dlfilter_sample *sample)
{
	return sample->time >= f->begin && sample->time <= f->end;
}

/* All other samples are those of regular events. */
static bool is_branch(const struct perf_dlfilter_sample *sample)
{
	return sample->flags &
	       (PERF_DLFILTER_FLAG_BRANCH | PERF_DLFILTER_FLAG_TRACE_BEGIN | PERF_DLFILTER_FLAG_TRACE_END);
}

/* Tells whether a sample is of a task that is not wanted, whose name is told: most of them can be passed over at once. */
static bool is_passed_over(const struct filter *f, int32_t tid)
{
	return f->task.tid >= 0 && tid != f->task.tid && f->told[(uint32_t)tid % NR_TOLD].tid == tid;
}

/*
 * Of an interrupt, what its last instruction was, if that is known. Only Arm's trace tells of an instruction that was
 * executed there, and of four bytes: of x86, perf hands out as many as the longest one has.
 * BL and BLR call, RET returns, with and without pointer authentication (Arm ARM C4.1.93, branches).
 */
static uint32_t behind(const struct perf_dlfilter_sample *sample, void *ctx)
{
	const uint32_t interrupt = PERF_DLFILTER_FLAG_CALL | PERF_DLFILTER_FLAG_INTERRUPT;
	const __u8 *bytes;
	uint32_t len, insn;

	if ((sample->flags & interrupt) != interrupt)
		return 0;
	bytes = perf_dlfilter_fns.insn(ctx, &len);
	if (!bytes || len != sizeof(insn))
		return 0;
	memcpy(&insn, bytes, sizeof(insn));
	insn = le32toh(insn);
	if ((insn & 0xfc000000) == 0x94000000 || (insn & 0xfeff0000) == 0xd63f0000)
		return BRANCH_BEHIND_CALL;
	return (insn & 0xfeff0000) == 0xd65f0000 ? BRANCH_BEHIND_RETURN : 0;
}

static int tell_branch(struct filter *f, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct branch b = {.time = sample->time,
			   .from = sample->ip,
			   .to = sample->addr,
			   .pid = sample->pid,
			   .tid = sample->tid,
			   .cpu = sample->cpu,
			   .flags = sample->flags | behind(sample, ctx)};
	const struct perf_dlfilter_al *al = perf_dlfilter_fns.resolve_ip(ctx), *from = al;
	struct decoded_branch *m;
	int err = al && al->comm ? tell_task(f, b.tid, al->comm) : 0;

	if (err || !task_filter__takes(&f->task, b.tid, al && al->comm ? al->comm : ""))
		return err;
	if (al && b.from)
		err = find_function(f, al, &b.from_function);
	al = b.to && sample->addr_correlates_sym ? perf_dlfilter_fns.resolve_addr(ctx) : NULL;
	if (!err && al) {
		b.to_offset = al->sym ? al->symoff : 1;
		err = find_function(f, al, &b.to_function);
	}
	if (!err && f->with_sites && from && enters(&b))
		err = find_site(f, from, &b, &b.from_site);
	m = err ? NULL : add(f, DECODED_BRANCH, sizeof(*m));
	if (!m)
		return err ? err : -EIO;
	m->branch = b;
	return 0;
}

static int find_frame(struct filter *f, const struct perf_dlfilter_al *al, bool is_kernel,
		      struct sample_frame *frame)
{
	*frame = (struct sample_frame){.is_kernel = is_kernel};
	return al && (al->sym || al->dso) ? find_function(f, al, &frame->function) : 0;
}

/*
 * Finds the functions of a call chain, in which a mark is in front of the addresses of the kernel and of those of the program.
 * All but the first behind a mark are where a call returns to, which is another function's begin if the call never returns.
 */
static int find_frames(struct filter *f, const struct perf_dlfilter_sample *sample, void *ctx,
		       struct sample_frame *frames, uint32_t *nr)
{
	bool is_kernel = branch__is_kernel(sample->ip), is_return = false;
	int err = 0;

	for (uint64_t i = 0; !err && i < sample->raw_callchain_nr && *nr < SAMPLE_FRAMES; i++) {
		struct perf_dlfilter_al al = {.size = sizeof(al)};
		uint64_t address = sample->raw_callchain[i];

		if (address >= PERF_CONTEXT_MAX) {
			is_kernel = address == PERF_CONTEXT_KERNEL;
			is_return = false;
			continue;
		}
		address -= is_return && address;
		is_return = true;
		err = find_frame(f, perf_dlfilter_fns.resolve_address(ctx, address, &al) ? NULL : &al,
				 is_kernel, &frames[(*nr)++]);
	}
	if (!err && !*nr)
		err = find_frame(f, perf_dlfilter_fns.resolve_ip(ctx), is_kernel, &frames[(*nr)++]);
	return err;
}

static int tell_sample(struct filter *f, const struct perf_dlfilter_sample *sample, void *ctx)
{
	const struct perf_dlfilter_al *al = perf_dlfilter_fns.resolve_ip(ctx);
	const struct perf_dlfilter_al event = {.sym = sample->event};
	struct sample s = {.time = sample->time, .pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu};
	struct sample_frame frames[SAMPLE_FRAMES];
	struct decoded_sample *m;
	int err = al && al->comm ? tell_task(f, s.tid, al->comm) : 0;

	if (err || !task_filter__takes(&f->task, s.tid, al && al->comm ? al->comm : ""))
		return err;
	err = find_function(f, &event, &s.event);
	if (!err)
		err = find_frames(f, sample, ctx, frames, &s.nr);
	m = err ? NULL : add(f, DECODED_SAMPLE, sizeof(*m) + s.nr * sizeof(*frames));
	if (!m)
		return err ? err : -EIO;
	m->sample = s;
	memcpy(m + 1, frames, s.nr * sizeof(*frames));
	return 0;
}

EXPORTED int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	int err = 0;

	if (is_in_part(data, sample) && !is_passed_over(data, sample->tid))
		err = is_branch(sample) ? tell_branch(data, sample, ctx) : tell_sample(data, sample, ctx);
	return err ? err : 1;
}

/* Takes what perf prints, a line or a part of one. */
static ssize_t take_text(void *cookie, const char *text, size_t len)
{
	size_t part = len < LONGEST_TEXT ? len : LONGEST_TEXT;
	struct decoded_text *m = add(cookie, DECODED_TEXT, sizeof(*m) + part + 1);

	if (!m)
		return 0;
	memcpy(m + 1, text, part);
	return (ssize_t)part;
}

/* perf prints with printf(), and the C library lets stdout be another stream. */
static int take_stdout(struct filter *f)
{
	FILE *stream = fopencookie(f, "w", (cookie_io_functions_t){.write = take_text});

	if (!stream)
		return -ENOMEM;
	setvbuf(stream, NULL, _IOLBF, LONGEST_TEXT);
	f->own_stdout = stdout;
	stdout = stream;
	return 0;
}

static int read_args(struct filter *f, void *ctx)
{
	int nr = 0;
	char **args = perf_dlfilter_fns.args(ctx, &nr);

	if (!args || nr != NR_DECODE_ARGS)
		return -EINVAL;
	f->fd = atoi(args[DECODE_ARG_FD]);
	f->begin = strtoull(args[DECODE_ARG_BEGIN], NULL, 10);
	f->end = strtoull(args[DECODE_ARG_END], NULL, 10);
	f->task.tid = atoi(args[DECODE_ARG_TID]);
	f->task.comm = *args[DECODE_ARG_COMM] ? args[DECODE_ARG_COMM] : NULL;
	f->with_sites = atoi(args[DECODE_ARG_SITES]);
	return 0;
}

EXPORTED int start(void **data, void *ctx)
{
	struct filter *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	*data = f;
	err = read_args(f, ctx);
	return err ? err : take_stdout(f);
}

EXPORTED int stop(void *data, void *ctx)
{
	struct filter *f = data;
	int err;

	fclose(stdout);
	stdout = f->own_stdout;
	err = flush(f);
	for (size_t i = 0; i < f->nr_slots; i++)
		free(f->known[i].name);
	free(f->known);
	free(f->sites);
	free(f);
	return err;
}
