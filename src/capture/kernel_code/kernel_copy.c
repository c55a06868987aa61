// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/kernel_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/thread.h"
#include "capture/records/synth.h"
#include "perfdata/record.h"
#include "sideband/text_pokes.h"

#define COPY_TRIES 3

struct kernel_copy {
	struct kernel_copy_opts opts;
	int kcore; /* /proc/kcore, or a negative errno */
	struct kcore_files files;
	struct kcore_layout layout; /* of kcore */
	struct buf records;
	struct build_id_set *ids;
	struct seccomp_filters *filters; /* NULL: nobody looks for filters */
	struct bpf_programs *programs;
	struct text_pokes pokes; /* since the thread was started */
	pthread_t thread;
	bool runs;
	int done_fd;
	int err; /* of the thread */
};

/* Opens the files. kallsyms and modules are read in any case; without code their copies are not kept. */
static int open_files(struct kernel_copy *copy)
{
	const struct stage_target *target = copy->opts.target;
	int err = stage__new_file(target, &copy->files.kallsyms);

	if (!err)
		err = stage__new_file(target, &copy->files.modules);
	return err || !copy->opts.code ? err : stage__new_file(target, &copy->files.kcore);
}

/* Begins to look for seccomp filters. Without them the rest can be decoded, so errors are only logged. */
static int look_for_filters(struct kernel_copy *copy)
{
	int err = seccomp_filters__new(&copy->filters);

	if (err && err != -ENOMEM) {
		log_warn("the code of seccomp filters is not copied: %s", strerror(-err));
		err = 0;
	}
	return err;
}

int kernel_copy__new(const struct kernel_copy_opts *opts, struct kernel_copy **ret)
{
	_cleanup_(cleanup__kernel_copy) struct kernel_copy *copy = calloc(1, sizeof(*copy));
	int err;

	if (!copy)
		return -ENOMEM;
	copy->opts = *opts;
	copy->files = (struct kcore_files){-1, -1, -1};
	copy->done_fd = -1;
	/* kcore is opened here, because the thread that copies lacks CAP_SYS_RAWIO. */
	copy->kcore = opts->code ? path__open(opts->root, "/proc/kcore") : -1;
	err = open_files(copy);
	if (!err)
		err = build_id_set__new(&copy->ids);
	if (!err && opts->code)
		err = look_for_filters(copy);
	if (!err)
		err = bpf_programs__new(copy->filters, &copy->programs);
	if (!err)
		*ret = steal_ptr(copy);
	return err;
}

static int copy_code(struct kernel_copy *copy, const struct kernel_texts *texts)
{
	size_t nr;
	const struct code_range *ranges = bpf_programs__ranges(copy->programs, &nr);
	int err;

	kcore_layout__release(&copy->layout);
	err = kcore__copy(copy->opts.root, copy->kcore, &copy->files, texts, ranges, nr, &copy->layout);
	log_debug("copied %llu KiB of kernel code",
		  (unsigned long long)kcore_layout__bytes(&copy->layout) / 1024);
	return err;
}

static int make_once(struct kernel_copy *copy)
{
	const struct synth synth = {copy->opts.root, record__trailer_len(copy->opts.sample_type),
				    &copy->records, copy->ids};
	struct kernel_texts texts;
	int err = kernel_texts__copy(copy->opts.root, &copy->files, &texts);

	if (err)
		return err;
	buf__truncate(&copy->records, 0);
	err = synth__kernel(&synth, texts.kallsyms, texts.modules);
	if (!err)
		err = bpf_programs__read(copy->programs, NULL, 0);
	if (!err && copy->opts.code)
		err = copy_code(copy, &texts);
	kernel_texts__release(&texts);
	return err;
}

int kernel_copy__make(struct kernel_copy *copy)
{
	int err = -EAGAIN;

	for (int tries = 0; err == -EAGAIN && tries < COPY_TRIES; tries++)
		err = make_once(copy);
	if (err == -EAGAIN)
		log_err("kernel modules come and go while the kernel's code is copied: try again");
	return err;
}

static void *run(void *arg)
{
	struct kernel_copy *copy = arg;

	copy->err = kernel_copy__make(copy);
	if (eventfd_write(copy->done_fd, 1))
		log_err("cannot tell that the kernel's code is copied: %s", strerror(errno));
	return NULL;
}

int kernel_copy__start(struct kernel_copy *copy)
{
	int err = 0;

	copy->done_fd = eventfd(0, EFD_CLOEXEC);
	if (copy->done_fd < 0)
		err = -errno;
	if (!err)
		err = thread__start(&copy->thread, run, copy);
	copy->runs = !err;
	if (err)
		log_err("cannot start the thread that copies the kernel's code: %s", strerror(-err));
	return err;
}

int kernel_copy__fd(const struct kernel_copy *copy)
{
	return copy->done_fd;
}

int kernel_copy__follow(struct kernel_copy *copy, struct span records)
{
	return text_pokes__add(&copy->pokes, records);
}

static void join(struct kernel_copy *copy)
{
	if (copy->runs)
		pthread_join(copy->thread, NULL);
	copy->runs = false;
}

/* Puts patched bytes back, unless they are outside of the copy, as in memory that was no code then. */
static int put_back(void *ctx, uint64_t addr, struct span bytes)
{
	struct kernel_copy *copy = ctx;
	uint64_t at;

	if (!kcore_layout__find(&copy->layout, addr, bytes.len, &at))
		return 0;
	return stage__write_at(copy->files.kcore, at, bytes);
}

int kernel_copy__settle(struct kernel_copy *copy, uint64_t since)
{
	int err;

	join(copy);
	if (copy->err)
		return copy->err;
	err = text_pokes__undo(&copy->pokes, copy->opts.sample_type, since, put_back, copy);
	if (err)
		log_err("cannot put back what was patched while the kernel's code was copied: %s",
			strerror(-err));
	text_pokes__release(&copy->pokes);
	return err;
}

struct span kernel_copy__records(const struct kernel_copy *copy)
{
	return buf__span(&copy->records);
}

const struct build_id_set *kernel_copy__ids(const struct kernel_copy *copy)
{
	return copy->ids;
}

struct bpf_programs *kernel_copy__programs(const struct kernel_copy *copy)
{
	return copy->programs;
}

const struct kcore_layout *kernel_copy__layout(const struct kernel_copy *copy)
{
	return &copy->layout;
}

const struct kcore_files *kernel_copy__files(const struct kernel_copy *copy)
{
	return &copy->files;
}

void kernel_copy__free(struct kernel_copy *copy)
{
	if (!copy)
		return;
	join(copy);
	cleanup__close(&copy->kcore);
	cleanup__close(&copy->files.kcore);
	cleanup__close(&copy->files.kallsyms);
	cleanup__close(&copy->files.modules);
	cleanup__close(&copy->done_fd);
	kcore_layout__release(&copy->layout);
	buf__release(&copy->records);
	build_id_set__free(copy->ids);
	bpf_programs__free(copy->programs);
	seccomp_filters__free(copy->filters);
	text_pokes__release(&copy->pokes);
	free(copy);
}
