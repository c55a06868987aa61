// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/seccomp_filters.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>

#include "base/log.h"
#include "loader/session_object.h"
#include "seccomp_filters.skel.h"

struct seccomp_filters {
	struct seccomp_filters_bpf *skel;
	struct ring_buffer *ring; /* of new filters; NULL: nothing tells of them */
	uint64_t taken;		  /* another thread may read it */
	uint64_t lost;		  /* how many were logged as lost; logged again when doubled */
	/* The function that seccomp_filters__take() shows filters to. */
	void (*fn)(void *ctx, const struct auxbpf_filter *filter, struct span code);
	void *ctx;
};

static int take_one(void *data, void *record, size_t size)
{
	const struct auxbpf_new_filter *new = record;
	struct seccomp_filters *filters = data;

	__atomic_add_fetch(&filters->taken, 1, __ATOMIC_RELAXED);
	if (new->filter.len &&new->filter.len <= size - sizeof(*new))
		filters->fn(filters->ctx, &new->filter, (struct span){new->code, new->filter.len});
	return 0;
}

static int open_ring(struct seccomp_filters *filters)
{
	filters->ring =
		ring_buffer__new(bpf_map__fd(filters->skel->maps.new_filters), take_one, filters, NULL);
	return filters->ring ? 0 : -errno;
}

/* Loads the programs. With @told, one that tells of new filters is attached. */
static int load(struct seccomp_filters *filters, bool told)
{
	int err;

	filters->skel = SESSION_OBJECT_OPEN_ALONE(seccomp_filters_bpf);
	if (!filters->skel)
		return -errno;
	bpf_program__set_autoload(filters->skel->progs.on_new_filter, told);
	err = seccomp_filters_bpf__load(filters->skel);
	if (!err)
		err = seccomp_filters_bpf__attach(filters->skel);
	if (!err && told)
		err = open_ring(filters);
	if (!err)
		return 0;
	seccomp_filters_bpf__destroy(filters->skel);
	filters->skel = NULL;
	return err;
}

int seccomp_filters__new(struct seccomp_filters **ret)
{
	_cleanup_(cleanup__seccomp_filters) struct seccomp_filters *filters = calloc(1, sizeof(*filters));
	int err;

	if (!filters)
		return -ENOMEM;
	err = load(filters, true);
	if (err) {
		log_debug("seccomp filters are found where tasks have them when their code is read");
		err = load(filters, false);
	}
	if (!err)
		*ret = steal_ptr(filters);
	return err;
}

void seccomp_filters__free(struct seccomp_filters *filters)
{
	if (!filters)
		return;
	ring_buffer__free(filters->ring);
	seccomp_filters_bpf__destroy(filters->skel);
	free(filters);
}

bool seccomp_filters__has_new(const struct seccomp_filters *filters)
{
	return __atomic_load_n(&filters->skel->bss->sent, __ATOMIC_RELAXED) !=
	       __atomic_load_n(&filters->taken, __ATOMIC_RELAXED);
}

void seccomp_filters__take(struct seccomp_filters *filters,
			   void (*fn)(void *ctx, const struct auxbpf_filter *filter, struct span code),
			   void *ctx)
{
	const uint64_t lost = __atomic_load_n(&filters->skel->bss->lost, __ATOMIC_RELAXED);

	filters->fn = fn;
	filters->ctx = ctx;
	if (filters->ring)
		ring_buffer__consume(filters->ring);
	if (lost <= 2 * filters->lost)
		return;
	log_warn("the code of %llu seccomp filters had no room: it is not decoded unless a task still has "
		 "them",
		 (unsigned long long)lost);
	filters->lost = lost;
}

int seccomp_filters__list(const struct seccomp_filters *filters, struct buf *ret)
{
	filters->skel->bss->listed = 0;
	return session_object__iterate(filters->skel->links.list_filters, ret);
}

int seccomp_filters__read(struct seccomp_filters *filters, const struct auxbpf_filter *filter,
			  struct span *ret)
{
	DECLARE_LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct seccomp_filters_bpf__bss *bss = filters->skel->bss;
	int err;

	bss->wanted = *filter;
	err = bpf_prog_test_run_opts(bpf_program__fd(filters->skel->progs.read_filter), &opts);
	*ret = (struct span){bss->code, filter->len};
	return err ? err : (int)opts.retval;
}
