// SPDX-License-Identifier: GPL-2.0-only
#include "capture/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "capture/capture_writer.h"
#include "capture/kernel_code/gone_programs.h"
#include "capture/kernel_code/kernel_copy.h"
#include "capture/programs/buildid_cache.h"
#include "capture/programs/held_files.h"
#include "capture/programs/program_files.h"
#include "capture/programs/uprobe_page.h"
#include "capture/records/live_tasks.h"
#include "capture/window_file.h"
#include "files/stage.h"
#include "files/vdso.h"
#include "perfdata/record.h"

/* The kernel's name in perf's cache. */
#define KALLSYMS_NAME "[kernel.kallsyms]"

/* The files of a capture beside the copies of programs, at most. */
#define FILES_OF_OUR_OWN 7

struct capture_file {
	char *root;
	char *exe;
	char *version;
	char **cmdline;
	bool kernel_code, kcore;
	bool user, archive;
	uint64_t sample_type;
	int compression;
	struct stage_target target;
	struct kernel_copy *kernel;
	uint64_t start_tsc; /* from before anything was noted */
	uint64_t start_ns;  /* the same moment of CLOCK_MONOTONIC */
	struct live_tasks live;
	struct buf tasks;		/* records */
	struct cgroup_records *cgroups; /* NULL: not asked for */
	struct host_info host;
	struct trace_source_dir pmu;
	pthread_mutex_t lock; /* one thread may write while another one follows the sideband */
	bool behind;	      /* BPF programs that were loaded while it was locked wait for catch_up() */
	struct buf gone;      /* programs whose end the list of programs does not know yet */
	uint64_t forgotten;   /* no list has a program that was unloaded before */
	bool settled;	      /* the kernel's copy is made or has failed: writers need not wait */
	int copy_err;	      /* why it failed; 0: it did not */
	pthread_cond_t is_settled;
	struct container_roots *roots; /* of targets whose programs are to be kept, or NULL */
	struct program_files programs_kept;
	bool (*program_room)(void *ctx, uint64_t total, uint64_t bytes);
	void *program_ctx;
	struct file_helper helper; /* of the thread that writes */
	uint64_t gaps;		   /* in the trace of the last capture */
	struct held_files *held;   /* NULL: not all programs are kept */
	int cache;		   /* perf's cache, or -1 */
	struct uprobe_page uprobes;
};

/* A capture that is being written. */
struct capture_stream {
	struct capture_file *file;
	struct stage_target target; /* its name belongs to the caller or to the file */
	struct build_id_set *ids;
	int fd;
	int windows_fd; /* -1: it does not tell of windows */
	struct capture_writer *writer;
};

static int copy_cmdline(struct capture_file *file, char *const *cmdline)
{
	size_t nr = 0, i;

	while (cmdline[nr])
		nr++;
	file->cmdline = calloc(nr + 1, sizeof(*file->cmdline));
	if (!file->cmdline)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		file->cmdline[i] = strdup(cmdline[i]);
		if (!file->cmdline[i])
			return -ENOMEM;
	}
	return 0;
}

static int copy_opts(struct capture_file *file, const struct capture_file_opts *opts)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[len < 0 ? 0 : len] = '\0';
	file->root = strdup(opts->root);
	file->exe = strdup(exe);
	file->version = strdup(opts->version ? opts->version : "auxbpf");
	file->kernel_code = opts->kernel;
	file->kcore = opts->kcore;
	file->user = opts->user;
	file->archive = opts->archive;
	file->sample_type = opts->sample_type;
	file->compression = opts->compression;
	if (!file->root || !file->exe || !file->version)
		return -ENOMEM;
	file->live = (struct live_tasks){
		.root = file->root,
		.trailer = record__trailer_len(opts->sample_type),
		.data = opts->data,
		.namespaces = opts->namespaces,
		.max_maps = opts->max_maps,
	};
	file_helper__init(&file->live.helper, FILE_HELPER_TIME);
	if (live_tasks__set_targets(&file->live, opts->targets, opts->nr_targets))
		return -ENOMEM;
	return copy_cmdline(file, opts->cmdline);
}

static int start_kernel(struct capture_file *file, bool later)
{
	const struct kernel_copy_opts opts = {
		.root = file->root,
		.target = &file->target,
		.sample_type = file->sample_type,
		.code = file->kcore,
	};
	int err = kernel_copy__new(&opts, &file->kernel);

	if (err)
		return err;
	file->settled = !later;
	file->start_tsc = tsc__read();
	file->start_ns = clock__ns(CLOCK_MONOTONIC);
	return later ? kernel_copy__start(file->kernel) : kernel_copy__make(file->kernel);
}

int capture_file__read_tasks(struct capture_file *file, struct buf *b)
{
	return live_tasks__read(&file->live, b);
}

int capture_file__read_programs(const struct capture_file *file, struct buf *b)
{
	return bpf_programs__add_living(b, record__trailer_len(file->sample_type));
}

static int note_cgroups(struct capture_file *file, bool wanted)
{
	return wanted ? cgroup_records__new(file->root, record__trailer_len(file->sample_type),
					    &file->cgroups)
		      : 0;
}

static int hold_files(struct capture_file *file, const char *cache)
{
	int err = 0;

	if (cache)
		file->cache = buildid_cache__open(cache);
	if (cache && file->cache < 0)
		return file->cache;
	if (file->user && (file->archive || cache))
		err = held_files__new(file->root, &file->held);
	if (file->held)
		held_files__see(file->held, buf__span(&file->tasks));
	return err;
}

int capture_file__new(const struct capture_file_opts *opts, struct capture_file **ret)
{
	_cleanup_(cleanup__capture_file) struct capture_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	file->target.dirfd = -1;
	file_helper__init(&file->helper, FILE_HELPER_TIME);
	file->live.helper.fd = file->uprobes.fd = file->cache = -1;
	thread__init_lock(&file->lock);
	pthread_cond_init(&file->is_settled, NULL);
	err = copy_opts(file, opts);
	if (!err)
		err = opts->dirfd == AT_FDCWD ? stage__target(opts->path, &file->target)
					      : stage__target_in(opts->dirfd, opts->path, &file->target);
	file->target.sync = !opts->no_sync;
	if (!err)
		err = start_kernel(file, opts->later);
	if (!err)
		err = capture_file__read_tasks(file, &file->tasks);
	if (!err)
		err = note_cgroups(file, opts->cgroups);
	if (!err)
		err = hold_files(file, opts->cache);
	if (!err)
		*ret = steal_ptr(file);
	return err;
}

struct span capture_file__tasks(const struct capture_file *file)
{
	return buf__span(&file->tasks);
}

void capture_file__drop_tasks(struct capture_file *file)
{
	buf__release(&file->tasks);
}

/* Locks the programs. False while a file is written, which takes long, or the kernel's code is copied. */
static bool lock_programs(struct capture_file *file)
{
	return file->settled && !pthread_mutex_trylock(&file->lock);
}

/* If a file is being written, the programs are read at its end. */
int capture_file__look_for_code(struct capture_file *file)
{
	int err;

	if (!lock_programs(file)) {
		__atomic_store_n(&file->behind, true, __ATOMIC_RELAXED);
		return 0;
	}
	err = bpf_programs__read(kernel_copy__programs(file->kernel), kernel_copy__layout(file->kernel), 0);
	pthread_mutex_unlock(&file->lock);
	return err;
}

static int follow_programs(struct capture_file *file, struct span records)
{
	const struct perf_event_header *record;
	struct record_bpf bpf;
	bool loaded = bpf_programs__has_new_filters(kernel_copy__programs(file->kernel));
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		if (!record__bpf(record, &bpf))
			continue;
		loaded |= bpf.loaded;
		if (!bpf.loaded)
			gone_programs__note(&file->gone, bpf.id, record__time(record, file->sample_type));
	}
	if (buf__error(&file->gone))
		return buf__error(&file->gone);
	return loaded ? capture_file__look_for_code(file) : 0;
}

int capture_file__follow(struct capture_file *file, struct span records)
{
	int err = file->settled ? 0 : kernel_copy__follow(file->kernel, records);

	if (file->held)
		held_files__see(file->held, records);
	if (!err && file->cgroups)
		err = cgroup_records__follow(file->cgroups, records);
	return err ? err : follow_programs(file, records);
}

void capture_file__forget(struct capture_file *file, uint64_t before)
{
	if (before <= file->forgotten || !lock_programs(file))
		return;
	gone_programs__forget(&file->gone, kernel_copy__programs(file->kernel), before);
	pthread_mutex_unlock(&file->lock);
	file->forgotten = before;
}

/* Reads the programs that waited for the lock. Otherwise they would not be in the next file. */
static void catch_up(struct capture_file *file)
{
	if (__atomic_exchange_n(&file->behind, false, __ATOMIC_RELAXED) && capture_file__look_for_code(file))
		log_warn("no memory for the code of BPF programs");
}

int capture_file__fd(const struct capture_file *file)
{
	return kernel_copy__fd(file->kernel);
}

static void lock_settled(struct capture_file *file)
{
	pthread_mutex_lock(&file->lock);
	while (!file->settled)
		pthread_cond_wait(&file->is_settled, &file->lock);
}

void capture_file__wait(struct capture_file *file)
{
	lock_settled(file);
	pthread_mutex_unlock(&file->lock);
}

int capture_file__settle(struct capture_file *file, const struct tsc_conv *tsc)
{
	if (file->settled)
		return file->copy_err;
	pthread_mutex_lock(&file->lock);
	file->copy_err = kernel_copy__settle(file->kernel, tsc_conv__to_time(tsc, file->start_tsc));
	file->settled = true;
	pthread_cond_broadcast(&file->is_settled);
	pthread_mutex_unlock(&file->lock);
	catch_up(file);
	return file->copy_err;
}

void capture_file__free(struct capture_file *file)
{
	char **arg;

	if (!file)
		return;
	for (arg = file->cmdline; arg && *arg; arg++)
		free(*arg);
	free(file->cmdline);
	live_tasks__release(&file->live);
	kernel_copy__free(file->kernel);
	cgroup_records__free(file->cgroups);
	free(file->root);
	free(file->exe);
	free(file->version);
	stage__target_release(&file->target);
	buf__release(&file->tasks);
	buf__release(&file->gone);
	host_info__release(&file->host);
	program_files__release(&file->programs_kept);
	file_helper__release(&file->helper);
	held_files__free(file->held);
	cleanup__close(&file->cache);
	uprobe_page__release(&file->uprobes);
	trace_source_dir__release(&file->pmu);
	free(file);
}

void capture_file__keep_programs(struct capture_file *file, struct container_roots *roots)
{
	file->roots = roots;
}

void capture_file__limit_programs(struct capture_file *file,
				  bool (*room)(void *ctx, uint64_t total, uint64_t bytes), void *ctx)
{
	file->program_room = room;
	file->program_ctx = ctx;
}

uint64_t capture_file__gaps(const struct capture_file *file)
{
	return file->gaps;
}

/* Whether the capture has copies of programs: not if they go into the cache, unless archive is set. */
static bool has_programs(const struct capture_file *file)
{
	return file->archive || file->cache < 0;
}

unsigned int capture_file__programs(const struct capture_file *file)
{
	return has_programs(file) ? program_files__nr(&file->programs_kept) : 0;
}

uint64_t capture_file__kernel_bytes(const struct capture_file *file)
{
	const struct kcore_files *copies = kernel_copy__files(file->kernel);
	uint64_t bytes = file->kcore ? stage__unnamed_bytes(copies->kcore) : 0;

	if (file->kcore || file->archive)
		bytes += stage__unnamed_bytes(copies->kallsyms) + stage__unnamed_bytes(copies->modules);
	return bytes;
}

static void add_file(struct stage_file *files, unsigned int *nr, int fd, const char *name, mode_t mode)
{
	files[(*nr)++] = (struct stage_file){fd, name, mode};
}

static int publish(const struct capture_stream *s)
{
	const struct capture_file *file = s->file;
	const struct program_files *kept = &file->programs_kept;
	const struct uprobe_page *uprobes = &file->uprobes;
	const struct kcore_files *copies = kernel_copy__files(file->kernel);
	_cleanup_free_ struct stage_file *files = NULL;
	unsigned int nr = 0;

	files = calloc(FILES_OF_OUR_OWN + kept->nr, sizeof(*files));
	if (!files)
		return -ENOMEM;
	add_file(files, &nr, s->fd, "data", 0600);
	if (s->windows_fd >= 0)
		add_file(files, &nr, s->windows_fd, STAGE_WINDOWS, 0600);
	if (file->kcore)
		add_file(files, &nr, copies->kcore, "kcore_dir/kcore", 0400);
	if (file->kcore || file->archive) {
		add_file(files, &nr, copies->kallsyms, "kcore_dir/kallsyms", 0400);
		add_file(files, &nr, copies->modules, "kcore_dir/modules", 0400);
	}
	if (uprobes->used) {
		add_file(files, &nr, uprobes->fd, DEBUG_DIR_UPROBES, 0400);
		add_file(files, &nr, uprobes->fd, uprobes->name, 0400);
	}
	for (unsigned int i = 0; has_programs(file) && i < kept->nr; i++)
		if (program_files__has(kept, &kept->all[i]))
			add_file(files, &nr, kept->all[i].fd, kept->all[i].name, 0400);
	return stage__publish_dir(&s->target, files, nr);
}

/* Converts a moment, given by the trace's counter and by CLOCK_MONOTONIC, to the clock of the events. */
static uint64_t event_time(const struct capture_desc *desc, uint64_t tsc, uint64_t monotonic)
{
	return desc->monotonic ? monotonic : tsc_conv__to_time(&desc->tsc, tsc);
}

static int open_writer(struct capture_stream *s, const struct capture_desc *desc)
{
	struct capture_file *file = s->file;
	const struct capture_baseline baseline = {
		.root = file->root,
		.exe = file->exe,
		.version = file->version,
		.cmdline = file->cmdline,
		.sample_type = file->sample_type,
		.compression = file->compression,
		.start = event_time(desc, file->start_tsc, file->start_ns),
		.kernel = kernel_copy__records(file->kernel),
		.tasks = desc->tasks.len ? desc->tasks : buf__span(&file->tasks),
		.cgroups = file->cgroups,
		.host = &file->host,
		.pmu = &file->pmu,
		.kernel_ids = kernel_copy__ids(file->kernel),
		.ids = s->ids,
		.programs = kernel_copy__programs(file->kernel),
		.program_code = file->kernel_code,
		.uprobes = file->user ? &file->uprobes : NULL,
	};

	return capture_writer__new(&baseline, desc, s->fd, &s->writer);
}

static int begin(struct capture_stream *s, const struct capture_desc *desc)
{
	uint64_t now = event_time(desc, tsc__read(), clock__ns(CLOCK_MONOTONIC));
	int err;

	uprobe_page__begin(&s->file->uprobes, s->file->root, &s->target);
	err = build_id_set__new(&s->ids);
	if (!err && s->file->held)
		err = vdso__add_id(s->ids);
	if (!err)
		err = stage__new_file(&s->file->target, &s->fd);
	/* The sideband has the KSYMBOL records of programs that were loaded since, but not their code. */
	if (!err)
		err = bpf_programs__read(kernel_copy__programs(s->file->kernel),
					 kernel_copy__layout(s->file->kernel), now);
	return err ? err : open_writer(s, desc);
}

static int log_unwritten(const struct capture_stream *s, int err)
{
	if (err)
		log_err("cannot write the capture %s: %s", s->target.name, strerror(-err));
	return err;
}

int capture_stream__new(struct capture_file *file, const char *name, const struct capture_desc *desc,
			struct capture_stream **ret)
{
	_cleanup_(cleanup__capture_stream) struct capture_stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->file = file;
	s->fd = s->windows_fd = -1;
	s->target = file->target;
	if (name)
		s->target.name = (char *)(uintptr_t)name;
	err = log_unwritten(s, begin(s, desc));
	if (!err)
		*ret = steal_ptr(s);
	return err;
}

int capture_stream__add_sideband(struct capture_stream *s, const struct capture_sideband *sideband,
				 unsigned int nr)
{
	return log_unwritten(s, capture_writer__add_sideband(s->writer, sideband, nr));
}

int capture_stream__add_aux(struct capture_stream *s, const struct aux_piece *piece)
{
	return log_unwritten(s, capture_writer__add_aux(s->writer, piece));
}

int capture_stream__add_windows(struct capture_stream *s, const struct capture_windows *windows)
{
	if (!windows->asked)
		return 0;
	return log_unwritten(s, window_file__make(&s->file->target, windows, &s->windows_fd));
}

uint64_t capture_stream__room(const struct capture_stream *s)
{
	struct statvfs fs;

	if (fstatvfs(s->fd, &fs) || !fs.f_blocks)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

static void fill_cache(const struct capture_file *file)
{
	const struct kcore_files *copies = kernel_copy__files(file->kernel);
	struct buildid_cache_entry symbols = {KALLSYMS_NAME, "kallsyms", .fd = copies->kallsyms,
					      .sync = file->target.sync};
	int err = build_id__read_kernel(file->root, &symbols.id);

	if (!err)
		err = buildid_cache__add(file->cache, &symbols);
	if (err)
		log_warn("the kernel's symbols are not in the build-id cache: %s", strerror(-err));
	program_files__fill_cache(&file->programs_kept, file->cache, file->target.sync);
}

int capture_stream__finish(struct capture_stream *s, uint64_t *aux_bytes)
{
	struct capture_file *file = s->file;
	const struct stage_target cache = {.dirfd = file->cache};
	const bool only_cached = !has_programs(file);
	const struct program_files_opts programs = {
		.helper = &file->helper,
		.roots = file->roots,
		.held = file->held,
		.target = only_cached ? &cache : &file->target,
		.cache = only_cached ? file->cache : -1,
		.room = only_cached ? NULL : file->program_room,
		.ctx = file->program_ctx,
		.data_fd = s->fd,
	};
	uint64_t bytes;
	int err = capture_writer__finish(s->writer, &bytes);

	file->gaps = capture_writer__gaps(s->writer);
	if (!err && file->roots)
		err = program_files__copy(&file->programs_kept, &programs, s->ids);
	err = log_unwritten(s, err) ?: publish(s);
	if (!err && file->cache >= 0)
		fill_cache(file);
	if (!err && aux_bytes)
		*aux_bytes = bytes;
	return err;
}

void capture_stream__free(struct capture_stream *s)
{
	if (!s)
		return;
	capture_writer__free(s->writer);
	build_id_set__free(s->ids);
	cleanup__close(&s->fd);
	cleanup__close(&s->windows_fd);
	free(s);
}

static int write_one(struct capture_file *file, const char *name, const struct capture_desc *desc,
		     uint64_t *aux_bytes)
{
	_cleanup_(cleanup__capture_stream) struct capture_stream *s = NULL;
	int err = capture_stream__new(file, name, desc, &s);

	if (!err)
		err = capture_stream__add_sideband(s, desc->sideband, desc->nr_sideband);
	for (unsigned int i = 0; !err && i < desc->nr_aux; i++)
		err = capture_stream__add_aux(s, &desc->aux[i]);
	if (!err)
		err = capture_stream__add_windows(s, &desc->windows);
	return err ? err : capture_stream__finish(s, aux_bytes);
}

int capture_file__write(struct capture_file *file, const char *name, const struct capture_desc *desc,
			uint64_t *aux_bytes)
{
	int err;

	lock_settled(file);
	err = file->copy_err ? file->copy_err : write_one(file, name, desc, aux_bytes);
	pthread_mutex_unlock(&file->lock);
	catch_up(file);
	return err;
}
