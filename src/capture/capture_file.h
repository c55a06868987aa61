/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A capture on disk: the perf.data that perf script, perf report and perf inject read.
 *
 * capture_file__new() is called once the sideband runs and the gate is loaded. It notes what lived before the
 * first record (kernel and module maps, tasks, BPF programs) and copies the kernel's text.
 * capture_file__write() makes the file from that, the sideband and the AUX data. Until it succeeds nothing
 * has a name in any directory, so neither an error nor a SIGKILL leaves anything behind. An existing file of
 * that name becomes NAME.old, as perf record does it.
 */
#ifndef AUXBPF_CAPTURE_CAPTURE_FILE_H
#define AUXBPF_CAPTURE_CAPTURE_FILE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "capture/capture_desc.h"
#include "containers/container_roots.h"

struct capture_file_opts {
	const char *path; /* "auxbpf.data": the directory of the capture, "data" in it is for perf */
	int dirfd;	  /* the directory of @path, the caller's as long as the file lives; or AT_FDCWD */
	const char *root; /* where /proc and /sys are: "" for this machine, a directory in tests */
	char *const *cmdline; /* auxbpf's own arguments, without argv[0], NULL-terminated */
	const char *version;  /* of auxbpf, for the header; may be NULL */
	uint64_t sample_type; /* of all events */
	int compression;      /* level for records from rings (perfdata/compressor.h), 0: none */
	bool kernel;	      /* the capture may have code of the kernel and of BPF programs */
	bool kcore;	      /* kernel text is needed to decode: copy it */
	bool user;	      /* the capture may have code of user mode */
	bool data;	      /* what tasks have mapped beside code is needed, to unwind stacks */
	bool namespaces;      /* there are records of the namespaces of tasks */
	bool cgroups;	      /* there are records of cgroups */
	bool archive;	      /* all that is needed to decode the capture elsewhere is kept */
	const char *cache;    /* perf's cache, to be filled with the same; NULL: none */
	const int *targets;   /* processes of which all that is mapped is told */
	size_t nr_targets;
	size_t max_maps; /* bytes of records of what others have mapped, and a few seconds; 0: all */
	bool no_sync;	 /* what is written may be lost if the machine stops */
	bool later;	 /* a thread copies the kernel's code, and capture_file__settle() is called */
};

struct capture_file;

/*
 * Notes the state of the machine. Logs what went wrong and returns a negative errno; a task, map or program
 * that vanishes meanwhile is no error. The strings of @opts are copied.
 */
int capture_file__new(const struct capture_file_opts *opts, struct capture_file **ret) _must_check_
	_nonnull_(1, 2);

/*
 * With opts.later, a descriptor that polls readable when the kernel's code is copied; else -1. Then, or to
 * wait for the copy, call capture_file__settle(), once capture_file__follow() has been shown all earlier
 * sideband. @tsc is that of descriptions. Until then whoever writes waits. 0 or a negative errno (logged),
 * which every later call of it and of capture_file__write() returns too.
 */
int capture_file__fd(const struct capture_file *file) _nonnull_(1);
int capture_file__settle(struct capture_file *file, const struct tsc_conv *tsc) _must_check_ _nonnull_(1, 2);

/* Waits until capture_file__settle() was called, as writing does. */
void capture_file__wait(struct capture_file *file) _nonnull_(1);

/* The records of the tasks that lived at capture_file__new(). */
struct span capture_file__tasks(const struct capture_file *file) _nonnull_(1);

/* Frees these records. From then on each description must have records of tasks (capture_desc.tasks). */
void capture_file__drop_tasks(struct capture_file *file) _nonnull_(1);

/*
 * Appends records, with trailers, of the tasks that live now. What does not fit the limits is left out, which
 * is logged once. 0, -ENOMEM, or the error of opening /proc.
 */
int capture_file__read_tasks(struct capture_file *file, struct buf *b) _must_check_ _nonnull_(1, 2);

/*
 * Appends records of the BPF programs that there are now. 0, -ENOMEM, or why the kernel does not let us look.
 */
int capture_file__read_programs(const struct capture_file *file, struct buf *b) _must_check_ _nonnull_(1, 2);

/*
 * Must be shown the sideband as it comes. This is not urgent, and another thread may write meanwhile.
 * @records are whole records of one ring. Reads the code of the BPF programs that they tell of, because at
 * the end of the capture these may be gone. 0 or -ENOMEM.
 */
int capture_file__follow(struct capture_file *file, struct span records) _must_check_ _nonnull_(1);

/*
 * Reads the code of BPF programs and seccomp filters that came since the last reading; no record tells of
 * filters. The caller is the thread of capture_file__follow(). 0 or -ENOMEM.
 */
int capture_file__look_for_code(struct capture_file *file) _must_check_ _nonnull_(1);

/*
 * Forgets BPF programs that were unloaded before @before, of the events' clock, now or at a later call: what
 * is written from now on must have no older trace. The caller is the thread of capture_file__follow().
 */
void capture_file__forget(struct capture_file *file, uint64_t before) _nonnull_(1);

/*
 * Keeps copies of programs in the capture, for traces of user mode: those that ran in @roots, which must
 * outlive it; with opts.archive, and in opts.cache, all that ran.
 */
void capture_file__keep_programs(struct capture_file *file, struct container_roots *roots) _nonnull_(1, 2);

/*
 * The bytes of the kernel's code and symbols that are in no capture, not yet or not any more: the next one
 * takes that much in addition. Called by the thread that writes, after capture_file__wait().
 */
uint64_t capture_file__kernel_bytes(const struct capture_file *file) _nonnull_(1);

/*
 * Limits the copies of programs. The thread that writes calls @room before it copies @bytes, which make it a
 * capture of @total bytes beside the kernel's files. What @room does not allow is left out, with a warning.
 */
void capture_file__limit_programs(struct capture_file *file,
				  bool (*room)(void *ctx, uint64_t total, uint64_t bytes), void *ctx)
	_nonnull_(1, 2);

/* The number of copies of programs that the last capture has. */
unsigned int capture_file__programs(const struct capture_file *file) _nonnull_(1);

/*
 * The number of gaps in the trace of the last capture, by the kernel's records: a virtual machine ran
 * (PERF_AUX_FLAG_PARTIAL), or the unit waited until its interrupt was served (PERF_AUX_FLAG_COLLISION of a
 * TRBE). Called by the thread that wrote it.
 */
uint64_t capture_file__gaps(const struct capture_file *file) _nonnull_(1);

/*
 * Writes a capture and gives it its name: @name, in the directory of opts.path, or, with NULL, opts.path.
 * Sets @aux_bytes (may be NULL) to the bytes of AUX data written. On error (logged, negative errno) there is
 * no file of that name that was not there before. It may be called again with other names: the captures share
 * the copies of the kernel's code and of programs, as links.
 */
int capture_file__write(struct capture_file *file, const char *name, const struct capture_desc *desc,
			uint64_t *aux_bytes) _must_check_ _nonnull_(1, 3);

/*
 * Writes a capture piece by piece, while the trace runs. What @desc points to must outlive the stream. All
 * but capture_stream__add_aux() is called by the thread of capture_file__follow(), which is shown records
 * before they are added.
 */
struct capture_stream;

int capture_stream__new(struct capture_file *file, const char *name, const struct capture_desc *desc,
			struct capture_stream **ret) _must_check_ _nonnull_(1, 3, 4);

/*
 * Adds what came in each of the rings since the last call. All of them must have been emptied for it, so that
 * nothing that comes later is older than what was there at the call before. Logs; 0 or a negative errno.
 */
int capture_stream__add_sideband(struct capture_stream *s, const struct capture_sideband *sideband,
				 unsigned int nr) _must_check_ _nonnull_(1);

/* Writes AUX data straight from where it is. Called by any thread. Logs; 0 or a negative errno. */
int capture_stream__add_aux(struct capture_stream *s, const struct aux_piece *piece) _must_check_
	_nonnull_(1, 2);

/*
 * Adds the file that tells of windows, once, before capture_stream__finish(); none if nobody asked for windows.
 * Logs; 0 or a negative errno.
 */
int capture_stream__add_windows(struct capture_stream *s, const struct capture_windows *windows) _must_check_
	_nonnull_(1, 2);

/* The bytes that are free on the file's disk; UINT64_MAX if that is not known. */
uint64_t capture_stream__room(const struct capture_stream *s) _nonnull_(1);

/* Writes the rest and gives the capture its name. Logs; 0 or a negative errno. */
int capture_stream__finish(struct capture_stream *s, uint64_t *aux_bytes) _must_check_ _nonnull_(1);

/* Frees the stream. Without capture_stream__finish() no file is left of it. */
void capture_stream__free(struct capture_stream *s);

DEFINE_CLEANUP(capture_stream, struct capture_stream *, capture_stream__free)

void capture_file__free(struct capture_file *file);

DEFINE_CLEANUP(capture_file, struct capture_file *, capture_file__free)

#endif
