// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/capture_file.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "base/log.h"
#include "kernel/bpf_programs.h"
#include "kernel/capture_write.h"
#include "kernel/container_files.h"
#include "kernel/kcore_copy.h"
#include "kernel/stage.h"
#include "kernel/synth.h"
#include "kernel/uprobe_page.h"
#include "pure/record.h"

#define COPY_TRIES 3
/* All but the programs of containers. */
#define FILES_OF_OUR_OWN 6

struct capture_file {
	char *root;
	char *exe;
	char *version;
	char **cmdline;
	bool kcore;
	bool user;
	uint64_t sample_type;
	struct stage_target target;
	struct kcore_files copies;
	struct kcore_layout copied; /* of kcore */
	uint64_t start_tsc;	    /* before anything was noted */
	struct buf kernel;	    /* records of the kernel and its modules ... */
	struct buf tasks;	    /* ... and of the tasks */
	struct host_info host;
	struct trace_source_dir pmu;
	struct build_id_set *ids; /* of the kernel and its modules */
	pthread_mutex_t lock;	  /* while one thread writes, another may follow the sideband */
	bool behind;		  /* it could not, for what has come since */
	struct bpf_programs *programs;
	const struct container_roots *roots; /* of targets whose programs are to be kept, or NULL */
	struct container_files programs_kept;
	struct uprobe_page uprobes;
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
	file->kcore = opts->kcore;
	file->user = opts->user;
	file->sample_type = opts->sample_type;
	if (!file->root || !file->exe || !file->version)
		return -ENOMEM;
	return copy_cmdline(file, opts->cmdline);
}

static int open_stage(struct capture_file *file, int *fd)
{
	*fd = stage__open(&file->target);
	if (*fd >= 0)
		return 0;
	log_err("cannot create a file for %s: %s", file->target.name, strerror(-*fd));
	return *fd;
}

static int open_files(struct capture_file *file, const char *path)
{
	int err = stage__target(path, &file->target);

	/* kallsyms and modules are read in any case; without kcore the copies are not kept. */
	if (!err)
		err = open_stage(file, &file->copies.kallsyms);
	if (!err)
		err = open_stage(file, &file->copies.modules);
	if (!err && file->kcore)
		err = open_stage(file, &file->copies.kcore);
	return err;
}

static int note_kernel_once(struct capture_file *file)
{
	const struct synth synth = {file->root, record__trailer_len(file->sample_type), &file->kernel,
				    file->ids};
	const struct code_range *ranges;
	struct kernel_texts texts;
	size_t nr;
	int err = kernel_texts__copy(file->root, &file->copies, &texts);

	if (err)
		return err;
	buf__truncate(&file->kernel, 0);
	err = synth__kernel(&synth, texts.kallsyms, texts.modules);
	if (!err)
		err = bpf_programs__read(file->programs, NULL);
	if (!err && file->kcore) {
		ranges = bpf_programs__ranges(file->programs, &nr);
		kcore_layout__release(&file->copied);
		err = kcore__copy(file->root, &file->copies, &texts, ranges, nr, &file->copied);
		log_debug("copied %llu KiB of kernel code",
			  (unsigned long long)kcore_layout__bytes(&file->copied) / 1024);
	}
	kernel_texts__release(&texts);
	return err;
}

static int note_kernel(struct capture_file *file)
{
	int tries, err = -EAGAIN;

	file->start_tsc = tsc__read();
	for (tries = 0; err == -EAGAIN && tries < COPY_TRIES; tries++)
		err = note_kernel_once(file);
	if (err == -EAGAIN)
		log_err("kernel modules come and go while the kernel's code is copied: try again");
	return err;
}

/* What they have mapped has its build ids in the records. */
static int note_tasks(struct capture_file *file)
{
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	struct synth synth = {file->root, record__trailer_len(file->sample_type), &file->tasks, NULL};
	int err = build_id_set__new(&ids);

	synth.ids = ids;
	return err ? err : synth__tasks(&synth);
}

int capture_file__new(const struct capture_file_opts *opts, struct capture_file **ret)
{
	_cleanup_(cleanup__capture_file) struct capture_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	file->target.dirfd = -1;
	file->uprobes.fd = -1;
	file->copies = (struct kcore_files){-1, -1, -1};
	pthread_mutex_init(&file->lock, NULL);
	err = copy_opts(file, opts);
	if (!err)
		err = open_files(file, opts->path);
	if (!err)
		err = build_id_set__new(&file->ids);
	if (!err)
		err = bpf_programs__new(&file->programs);
	if (!err)
		err = note_kernel(file);
	if (!err)
		err = note_tasks(file);
	if (!err)
		*ret = steal_ptr(file);
	return err;
}

struct span capture_file__tasks(const struct capture_file *file)
{
	return buf__span(&file->tasks);
}

/* Unless a file is being written, which takes long; that reads them again at its end. */
static int read_programs(struct capture_file *file)
{
	int err;

	if (pthread_mutex_trylock(&file->lock)) {
		__atomic_store_n(&file->behind, true, __ATOMIC_RELAXED);
		return 0;
	}
	err = bpf_programs__read(file->programs, &file->copied);
	pthread_mutex_unlock(&file->lock);
	return err;
}

int capture_file__follow(struct capture_file *file, struct span records)
{
	const struct perf_event_header *record;
	size_t pos = 0, trailer_at;
	uint32_t id;

	while ((record = record__next(records, &pos)))
		if (record__bpf_load(record, &id, &trailer_at))
			return read_programs(file);
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void capture_file__free(struct capture_file *file)
{
	char **arg;

	if (!file)
		return;
	for (arg = file->cmdline; arg && *arg; arg++)
		free(*arg);
	free(file->cmdline);
	free(file->root);
	free(file->exe);
	free(file->version);
	stage__target_release(&file->target);
	close_fd(file->copies.kcore);
	close_fd(file->copies.kallsyms);
	close_fd(file->copies.modules);
	buf__release(&file->kernel);
	buf__release(&file->tasks);
	host_info__release(&file->host);
	kcore_layout__release(&file->copied);
	build_id_set__free(file->ids);
	bpf_programs__free(file->programs);
	container_files__release(&file->programs_kept);
	uprobe_page__release(&file->uprobes);
	free(file);
}

void capture_file__keep_programs(struct capture_file *file, const struct container_roots *roots)
{
	file->roots = roots;
}

unsigned int capture_file__programs(const struct capture_file *file)
{
	return file->programs_kept.nr;
}

static void add_file(struct stage_file *files, unsigned int *nr, int fd, const char *name, mode_t mode)
{
	files[(*nr)++] = (struct stage_file){fd, name, mode};
}

static int publish(const struct capture_file *file, const struct stage_target *target, int data_fd)
{
	const struct container_files *kept = &file->programs_kept;
	const struct uprobe_page *uprobes = &file->uprobes;
	_cleanup_free_ struct stage_file *files = NULL;
	unsigned int nr = 0;

	if (!file->kcore && !kept->nr && !uprobes->used)
		return stage__publish_file(target, data_fd);
	files = calloc(FILES_OF_OUR_OWN + kept->nr, sizeof(*files));
	if (!files)
		return -ENOMEM;
	add_file(files, &nr, data_fd, "data", 0600);
	if (file->kcore) {
		add_file(files, &nr, file->copies.kcore, "kcore_dir/kcore", 0400);
		add_file(files, &nr, file->copies.kallsyms, "kcore_dir/kallsyms", 0400);
		add_file(files, &nr, file->copies.modules, "kcore_dir/modules", 0400);
	}
	if (uprobes->used) {
		add_file(files, &nr, uprobes->fd, DEBUG_DIR_UPROBES, 0400);
		add_file(files, &nr, uprobes->fd, uprobes->name, 0400);
	}
	for (unsigned int i = 0; i < kept->nr; i++)
		add_file(files, &nr, kept->all[i].fd, kept->all[i].name, 0400);
	return stage__publish_dir(target, files, nr);
}

static int write_one(struct capture_file *file, const char *name, const struct capture_desc *desc,
		     uint64_t *aux_bytes)
{
	struct stage_target target = file->target;
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	_cleanup_close_ int data_fd = -1;
	struct capture_baseline baseline = {
		.root = file->root,
		.exe = file->exe,
		.version = file->version,
		.cmdline = file->cmdline,
		.sample_type = file->sample_type,
		.start = tsc_conv__to_time(&desc->tsc, file->start_tsc),
		.kernel = buf__span(&file->kernel),
		.tasks = desc->tasks.len ? desc->tasks : buf__span(&file->tasks),
		.host = &file->host,
		.pmu = &file->pmu,
		.kernel_ids = file->ids,
		.programs = file->programs,
		.uprobes = file->user ? &file->uprobes : NULL,
	};
	uint64_t bytes = 0;
	int err;

	if (name)
		target.name = (char *)(uintptr_t)name;
	uprobe_page__begin(&file->uprobes, file->root, &target);
	err = build_id_set__new(&ids);
	baseline.ids = ids;
	if (!err)
		err = open_stage(file, &data_fd);
	/* Programs that were loaded since: their KSYMBOL records are in the sideband, their code is not. */
	if (!err)
		err = bpf_programs__read(file->programs, &file->copied);
	if (!err)
		err = capture_write__data(&baseline, desc, data_fd, &bytes);
	if (!err && file->roots)
		err = container_files__copy(file->roots, ids, &file->target, &file->programs_kept);
	if (err) {
		log_err("cannot write the capture %s: %s", target.name, strerror(-err));
		return err;
	}
	err = publish(file, &target, data_fd);
	if (!err && aux_bytes)
		*aux_bytes = bytes;
	return err;
}

int capture_file__write(struct capture_file *file, const char *name, const struct capture_desc *desc,
			uint64_t *aux_bytes)
{
	int err;

	pthread_mutex_lock(&file->lock);
	err = write_one(file, name, desc, aux_bytes);
	pthread_mutex_unlock(&file->lock);
	if (!__atomic_exchange_n(&file->behind, false, __ATOMIC_RELAXED))
		return err;
	/* The file is there; what is not read now is not in the next one. */
	if (read_programs(file))
		log_warn("no memory for the code of BPF programs");
	return err;
}
