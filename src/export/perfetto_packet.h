/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the packets of a Perfetto trace, one by one: a field of the message Trace each, with its length in front. Names and
 * categories of events are told once, and meant by their numbers from then on.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_PACKET_H
#define AUXBPF_EXPORT_PERFETTO_PACKET_H

#include <perfetto.pb-c.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "export/perfetto_notes.h"

/* The categories of events; each is named in the first packet. */
enum packet_category {
	PACKET_KERNEL = 1,
	PACKET_USER,
	PACKET_NOT_TRACED,
	PACKET_ERROR,
	PACKET_WINDOW,
	PACKET_TRIGGER,
	PACKET_TASK,
	PACKET_SAMPLE,
};

struct packet_writer {
	FILE *to;
	struct buf bytes; /* of one packet */
};

/* Writes the first packet. The writer is zero-initialised but for @to. Returns 0 or -ENOMEM, as all do. */
int packet__begin(struct packet_writer *w) _must_check_ _nonnull_(1);

/* Tells that @iid, above 0, is the name of events. @name is UTF-8. */
int packet__name(struct packet_writer *w, uint64_t iid, const char *name) _must_check_ _nonnull_(1, 3);

/* Tells that @iid, above 0, is a text of notes (perfetto_notes__interned()). @text is UTF-8. */
int packet__text(struct packet_writer *w, uint64_t iid, const char *text) _must_check_ _nonnull_(1, 3);

int packet__track(struct packet_writer *w, Perfetto__TrackDescriptor *track) _must_check_ _nonnull_(1, 2);

/* Writes an event, at a time in ns, of a category; 0: none, for an end. */
int packet__event(struct packet_writer *w, uint64_t time, enum packet_category category,
		  Perfetto__TrackEvent *event) _must_check_ _nonnull_(1, 4);

/* Begins a track that is neither of a process nor of a thread, below @parent; 0: below none. */
int packet__named_track(struct packet_writer *w, uint64_t uuid, uint64_t parent,
			const char *name) _must_check_ _nonnull_(1, 4);

/* An event that has its name itself. The end of a slice has no name, notes and category. */
struct named_event {
	Perfetto__TrackEvent__Type type;
	uint64_t track, time; /* ns */
	enum packet_category category;
	const char *name;	      /* UTF-8 */
	struct perfetto_notes *notes; /* or NULL */
};

int packet__named_event(struct packet_writer *w, const struct named_event *named) _must_check_
	_nonnull_(1, 2);

/* Tells which part of the trace is to be shown when it is opened, ns. */
int packet__shown(struct packet_writer *w, uint64_t from, uint64_t to) _must_check_ _nonnull_(1);

void packet__release(struct packet_writer *w) _nonnull_(1);

#endif
