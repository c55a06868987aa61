/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A capture on disk: the perf.data that perf script, perf report and perf inject read.
 *
 * capture_file__new() is called once the sideband runs and the gate is loaded: it notes what lived before the
 * first record (kernel and module maps, tasks, BPF programs) and copies the kernel's text.
 * capture_file__write() makes the file from that, the sideband and the AUX data. Until it succeeds nothing
 * has a name in any directory, so neither an error nor a SIGKILL leaves something behind; an existing file of
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
	int dirfd;	  /* in which @path is a name, the caller's for as long as the file; or AT_FDCWD */
	const char *root; /* where /proc and /sys are: "" for this machine, a directory in tests */
	char *const *cmdline; /* auxbpf's own arguments, without argv[0], NULL-terminated */
	const char *version;  /* of auxbpf, for the header; may be NULL */
	uint64_t sample_type; /* of all events */
	int compression;      /* level of that of the records from rings (perfdata/compressor.h), 0: none */
	bool kernel;	      /* code of the kernel may be in it, that of BPF programs too */
	bool kcore;	      /* kernel text is needed to decode: copy it */
	bool user;	      /* code of user mode is */
	bool data;	      /* what the files of tasks have beside code is, to unwind stacks */
	bool namespaces;      /* those of tasks are told of */
	bool cgroups;	      /* so are cgroups */
	bool archive;	      /* all that is needed to decode it elsewhere is kept */
	const char *cache;    /* the directory of perf's cache to be filled with the same; NULL: none */
	const int *targets;   /* processes: what they have mapped is always told ... */
	size_t nr_targets;
	size_t max_maps; /* ... of others as far as so many bytes of records go, and a few seconds; 0: all */
	bool no_sync;	 /* what is written may be lost if the machine stops */
	bool later;	 /* the kernel's code is copied by a thread, and capture_file__settle() called */
};

struct capture_file;

/*
 * Notes the state of the machine. Says on the log what went wrong and returns a negative errno; no task, map
 * or program that vanishes meanwhile is an error. The strings of @opts are copied.
 */
int capture_file__new(const struct capture_file_opts *opts, struct capture_file **ret) _must_check_
	_nonnull_(1, 2);

/*
 * With opts.later (else -1): polls readable when the kernel's code is copied. Then, or if that is to be
 * waited for, capture_file__settle(), once capture_file__follow() has been shown all of the sideband of
 * before; @tsc as in descriptions. Until then whoever writes waits. 0 or a negative errno (logged), and so
 * says every call of both from then on.
 */
int capture_file__fd(const struct capture_file *file) _nonnull_(1);
int capture_file__settle(struct capture_file *file, const struct tsc_conv *tsc) _must_check_ _nonnull_(1, 2);

/* Waits until capture_file__settle() was called, as whoever writes does. */
void capture_file__wait(struct capture_file *file) _nonnull_(1);

/* Records of the tasks that lived then. */
struct span capture_file__tasks(const struct capture_file *file) _nonnull_(1);

/* Gives their memory back: all that is written has records of tasks of its own (capture_desc.tasks). */
void capture_file__drop_tasks(struct capture_file *file) _nonnull_(1);

/*
 * Appends records, with trailers, of the tasks that live now. What does not fit the limits is left out, which is
 * said once. 0, -ENOMEM, or the error of opening /proc.
 */
int capture_file__read_tasks(struct capture_file *file, struct buf *b) _must_check_ _nonnull_(1, 2);

/*
 * The same of the BPF programs that there are now. 0, -ENOMEM, or why the kernel does not let us look.
 */
int capture_file__read_programs(const struct capture_file *file, struct buf *b) _must_check_ _nonnull_(1, 2);

/*
 * To be shown the sideband as it comes, at leisure, also while another thread writes: reads the code of BPF
 * programs that @records, whole records of one ring, tell of, because at the end of the capture they may be
 * gone. 0 or -ENOMEM.
 */
int capture_file__follow(struct capture_file *file, struct span records) _must_check_ _nonnull_(1);

/*
 * Reads the code of BPF programs and seccomp filters that have come since it was read last: of the filters no record tells. By
 * whoever calls the former. 0 or -ENOMEM.
 */
int capture_file__look_for_code(struct capture_file *file) _must_check_ _nonnull_(1);

/*
 * What is written from now on has no trace that is older than @before, of the events' clock. BPF programs that
 * were unloaded before that are forgotten, now or at a later call. Called by whoever calls the former, never by
 * two at a time.
 */
void capture_file__forget(struct capture_file *file, uint64_t before) _nonnull_(1);

/*
 * For traces of user mode: the capture will have copies of the programs that ran in @roots, which must
 * outlive it; with opts.archive, and in opts.cache, of all that ran.
 */
void capture_file__keep_programs(struct capture_file *file, struct container_roots *roots) _nonnull_(1, 2);

/*
 * How many bytes of the kernel's code and symbols are in no capture yet, or in none any more: the next one takes
 * that much besides. By whoever writes, once capture_file__wait() has returned.
 */
uint64_t capture_file__kernel_bytes(const struct capture_file *file) _nonnull_(1);

/*
 * Of those only what there is room for: @room is asked by whoever writes before @bytes are copied, which make it a
 * capture of @total bytes beside the kernel's files. What it does not allow is left out, with a warning.
 */
void capture_file__limit_programs(struct capture_file *file,
				  bool (*room)(void *ctx, uint64_t total, uint64_t bytes), void *ctx)
	_nonnull_(1, 2);

/* How many there are in what was written last. */
unsigned int capture_file__programs(const struct capture_file *file) _nonnull_(1);

/*
 * How many gaps there are in the trace of what was written last, as the kernel's records say: a virtual machine
 * ran (PERF_AUX_FLAG_PARTIAL), or the unit waited until its interrupt was served (of a TRBE,
 * PERF_AUX_FLAG_COLLISION). By whoever wrote it.
 */
uint64_t capture_file__gaps(const struct capture_file *file) _nonnull_(1);

/*
 * Writes a capture and gives it its name: @name, in the directory of opts.path, or, with NULL, opts.path.
 * Returns the bytes of AUX data written in @aux_bytes (may be NULL). On error (logged, negative errno) there
 * is no file of that name that was not there before. May be called again with other names: the captures share
 * the copies of the kernel's code and of programs, as links.
 */
int capture_file__write(struct capture_file *file, const char *name, const struct capture_desc *desc,
			uint64_t *aux_bytes) _must_check_ _nonnull_(1, 3);

/*
 * The same piece by piece, while the trace runs. What @desc points to must outlive the stream. But for
 * capture_stream__add_aux() all is called by the thread that calls capture_file__follow(), which is shown
 * records before they are added.
 */
struct capture_stream;

int capture_stream__new(struct capture_file *file, const char *name, const struct capture_desc *desc,
			struct capture_stream **ret) _must_check_ _nonnull_(1, 3, 4);

/*
 * What came in each of the rings since the last call; all of them must have been emptied for it, so that
 * nothing that comes later is older than what was there at the call before. Logs; 0 or a negative errno.
 */
int capture_stream__add_sideband(struct capture_stream *s, const struct capture_sideband *sideband,
				 unsigned int nr) _must_check_ _nonnull_(1);

/* Writes AUX data straight from where it is. By any thread. Logs; 0 or a negative errno. */
int capture_stream__add_aux(struct capture_stream *s, const struct capture_aux *aux) _must_check_
	_nonnull_(1, 2);

/* How many bytes are free where it is written; UINT64_MAX if nobody knows. */
uint64_t capture_stream__room(const struct capture_stream *s) _nonnull_(1);

/* Writes the rest and gives the capture its name. Logs; 0 or a negative errno. */
int capture_stream__finish(struct capture_stream *s, uint64_t *aux_bytes) _must_check_ _nonnull_(1);

/* Without capture_stream__finish() nothing is left of it. */
void capture_stream__free(struct capture_stream *s);

DEFINE_CLEANUP(capture_stream, struct capture_stream *, capture_stream__free)

void capture_file__free(struct capture_file *file);

DEFINE_CLEANUP(capture_file, struct capture_file *, capture_file__free)

#endif
