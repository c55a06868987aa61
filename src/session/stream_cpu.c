// SPDX-License-Identifier: GPL-2.0-only
#include "session/stream_cpu.h"
#include "trace/perf_event.h"

#include <string.h>

#include "base/log.h"
#include "perfdata/aux_piece.h"
#include "perfdata/record.h"
#include "summary/losses.h"

/* Drains the ring. To be called with the lock. */
static int drain(struct stream_cpu *c)
{
	struct buf *sideband = &c->trace->sideband;
	size_t old = sideband->len;
	int err = cpu_trace__drain(c->trace);
	struct span new;

	if (err)
		return err;
	new = (struct span){sideband->data + old, sideband->len - old};
	aux_account__add(&c->account, new, PERF_EVENT_SAMPLE_TYPE);
	if (c->leaves_out)
		record__remove(sideband, old, PERF_RECORD_AUX);
	else
		aux_account__gaps(new, &c->gap_ends);
	return buf__error(&c->gap_ends);
}

int stream_cpu__take(struct stream_cpu *c, struct buf *to)
{
	struct buf empty = *to;
	int err;

	pthread_mutex_lock(&c->lock);
	err = drain(c);
	*to = c->trace->sideband;
	c->trace->sideband = empty;
	pthread_mutex_unlock(&c->lock);
	return err;
}

/* Drains the ring and returns in @losses how many records so far tell that trace is missing, or may be. */
static int drain_losses(struct stream_cpu *c, uint64_t *losses)
{
	int err;

	pthread_mutex_lock(&c->lock);
	err = drain(c);
	*losses = c->account.truncated + c->account.lost;
	pthread_mutex_unlock(&c->lock);
	return err;
}

/* Returns the trace from @from to before @to, which is in the buffer. */
static struct aux_piece piece_of(const struct stream_cpu *c, uint64_t from, uint64_t to)
{
	struct aux_piece piece = aux_piece__of_cpu(c->trace->cpu, c->idx);

	ring__aux_data(&c->trace->ring, from, to, &piece);
	return piece;
}

static int add(struct stream_cpu *c, struct aux_piece *piece)
{
	piece->reference = tsc__read();
	return capture_stream__add_aux(c->file, piece);
}

/* Begins after a gap at the next place where a decoder can, with what it must know in front. */
static int begin_anew(struct stream_cpu *c, struct aux_piece *piece)
{
	uint8_t bytes[AUX_MARK_MAX];
	struct aux_piece mark;

	aux_new__cut(piece, c->ops->next_sync, 0);
	if (!aux_piece__len(piece))
		return 0;
	mark = *piece;
	mark.data[0] = (struct span){bytes, c->ops->gap(piece->data, bytes)};
	mark.data[1] = (struct span){0};
	if (!aux_piece__len(&mark)) {
		aux_piece__keep_last(piece, 0);
		return 0;
	}
	c->skip = false;
	return add(c, &mark);
}

/* Writes what the unit wrote to the file, without what does not decode after a gap. */
static int write_piece(struct stream_cpu *c, struct aux_piece *piece)
{
	uint64_t all = aux_piece__len(piece);
	int err = c->skip ? begin_anew(c, piece) : 0;

	c->left_out += all - aux_piece__len(piece);
	if (!err)
		err = add(c, piece);
	__atomic_fetch_add(&c->written, aux_piece__len(piece), __ATOMIC_RELAXED);
	return err;
}

/*
 * Frees the buffer up to @end, as all of that is in the file or left out. Returns true if the kernel may have
 * stopped the event because the buffer was full.
 */
static bool release(struct stream_cpu *c, uint64_t end)
{
	c->at = end;
	return ring__aux_release(&c->trace->ring, end);
}

/*
 * Moves all up to @head into the file. @full: the kernel may have stopped the event because the buffer was
 * full.
 */
static int move(struct stream_cpu *c, uint64_t head, bool *full)
{
	struct aux_piece piece = piece_of(c, c->at, head);
	int err = write_piece(c, &piece);

	*full = release(c, head);
	return err;
}

/* Returns the @len bytes before @end, or all that the buffer still has of them. */
static struct aux_piece last_bytes(const struct stream_cpu *c, uint64_t end, size_t len)
{
	const struct ring *ring = &c->trace->ring;
	uint64_t head = ring__aux_head(ring), oldest = head < ring->aux_size ? 0 : head - ring->aux_size;

	return piece_of(c, len < end - oldest ? end - len : oldest, end);
}

/*
 * Returns how many bytes before @end are of a packet that is cut off. The event is off, so the buffer still
 * has data that was read before, and in it, usually not far back, a place where a packet begins.
 */
static size_t half_packet(const struct stream_cpu *c, uint64_t end)
{
	struct aux_piece piece;
	struct aux_sync sync;
	bool found;

	if (!c->ops->whole)
		return 0;
	for (size_t len = AUX_SEARCH_MAX, at = 0;; len *= 16, at = 0) {
		piece = last_bytes(c, end, len);
		found = c->ops->next_sync(piece.data, &at, &sync);
		if (found || aux_piece__len(&piece) < len)
			return aux_piece__len(&piece) - c->ops->whole(piece.data);
	}
}

/* Moves the data up to @end, the last before a gap, into the file. The event is off. */
static int move_to_gap(struct stream_cpu *c, uint64_t end)
{
	struct aux_piece piece = piece_of(c, c->at, end);
	size_t all = aux_piece__len(&piece), half = half_packet(c, end);
	int err;

	if (half > all)
		half = all;
	aux_piece__keep_first(&piece, all - half);
	c->left_out += half;
	err = write_piece(c, &piece);
	c->skip = c->ops->gap != NULL;
	if (release(c, end))
		log_debug("CPU %d: the buffer was full", c->trace->cpu);
	return err;
}

/* Moves all data into the file, with the gaps in it and the one at its end. The event is off. */
static int move_last(struct stream_cpu *c)
{
	uint64_t head = ring__aux_head(&c->trace->ring), end;
	_cleanup_buf_ struct buf ends = {0};
	int err = 0;

	pthread_mutex_lock(&c->lock);
	ends = c->gap_ends;
	c->gap_ends = (struct buf){0};
	pthread_mutex_unlock(&c->lock);
	for (size_t at = 0; !err && at < ends.len; at += sizeof(end)) {
		memcpy(&end, ends.data + at, sizeof(end));
		if (end > c->at && end < head)
			err = move_to_gap(c, end);
	}
	return err ? err : move_to_gap(c, head);
}

/* With @leaves_out, trace from here on is not put into the file, nor are the records that tell of it. */
static void leave_out(struct stream_cpu *c, bool leaves_out)
{
	pthread_mutex_lock(&c->lock);
	c->leaves_out = leaves_out;
	pthread_mutex_unlock(&c->lock);
}

/*
 * Closes the gate, which may have been open when the event was stopped. That works only while the event runs.
 */
static int close_gate(struct stream_cpu *c)
{
	struct ring *ring = &c->trace->ring;
	uint64_t head = ring__aux_head(ring);
	int err;

	leave_out(c, true);
	err = cpu_trace__start(c->trace);
	if (!err)
		err = gate__close(c->gate, c->trace->cpu);
	cpu_trace__stop(c->trace);
	c->left_out += ring__aux_head(ring) - head;
	if (release(c, ring__aux_head(ring)))
		log_debug("CPU %d: the buffer was full again", c->trace->cpu);
	if (!err)
		err = drain_losses(c, &c->losses);
	leave_out(c, false);
	return err;
}

static int start(struct stream_cpu *c)
{
	int err = cpu_trace__start(c->trace);

	return err ? err : gate__thaw(c->gate, c->trace->cpu);
}

/* Returns the time of the last piece of trace that the kernel has told of. */
static uint64_t last_piece(struct stream_cpu *c)
{
	uint64_t time;

	pthread_mutex_lock(&c->lock);
	time = c->account.time;
	pthread_mutex_unlock(&c->lock);
	return time;
}

static void count_gap(struct stream_cpu *c, uint64_t since)
{
	uint64_t now = tsc_conv__to_time(&c->tsc, tsc__read());

	__atomic_fetch_add(&c->gaps, 1, __ATOMIC_RELAXED);
	if (since && now > since)
		c->gaps_time += now - since;
}

static int restart(struct stream_cpu *c)
{
	const int cpu = c->trace->cpu;
	uint64_t since = last_piece(c);
	int err;

	if (!gate__freeze(c->gate, cpu, gate__new_ticket(c->gate)))
		log_debug("CPU %d is frozen already", cpu);
	gate__hold(c->gate, cpu);
	cpu_trace__stop(c->trace);
	err = drain_losses(c, &c->losses);
	if (!err)
		err = move_last(c);
	if (!err && c->trace->paused)
		err = close_gate(c);
	if (!err)
		err = start(c);
	gate__let_go(c->gate, cpu);
	count_gap(c, since);
	if (!err)
		log_debug("CPU %d: traced again", cpu);
	return err;
}

int stream_cpu__read(struct stream_cpu *c, bool ends)
{
	/*
	 * When the head is there, so are the records of what is before it, which tell of pieces after which
	 * some is missing.
	 */
	uint64_t head = ring__aux_head(&c->trace->ring), losses;
	bool full = ring__aux_full(&c->trace->ring, head);
	int err = drain_losses(c, &losses);

	if (!err && !full && losses == c->losses)
		err = move(c, head, &full);
	if (err || (!full && losses == c->losses))
		return err;
	if (!ends)
		return restart(c);
	c->losses = losses;
	count_gap(c, last_piece(c));
	return move_last(c);
}

static void log_gaps(const struct stream_cpu *c)
{
	log_warn("CPU %d: the buffer was full %llu time%s, and trace is missing there (%.1f ms in all); a "
		 "larger --aux-size or fewer windows help",
		 c->trace->cpu, (unsigned long long)c->gaps, log__plural(c->gaps),
		 (double)c->gaps_time / 1e6);
}

void stream_cpu__log(const struct stream_cpu *c)
{
	const struct aux_account *a = &c->account;
	const int cpu = c->trace->cpu;

	log_debug("CPU %d: %llu bytes of trace in the file, %llu left out behind gaps; %llu truncated, "
		  "%llu gaps; records lost %llu",
		  cpu, (unsigned long long)c->written, (unsigned long long)c->left_out,
		  (unsigned long long)a->truncated, (unsigned long long)c->gaps, (unsigned long long)a->lost);
	if (c->gaps)
		log_gaps(c);
	losses__log_records(cpu, a->lost);
	if (a->partial || a->collision || a->overwrite)
		log_warn(
			"CPU %d: the kernel says that there are gaps in the trace: %llu pieces partial, %llu "
			"that end where the unit waited for its interrupt, %llu overwritten",
			cpu, (unsigned long long)a->partial, (unsigned long long)a->collision,
			(unsigned long long)a->overwrite);
	if (a->untold || a->end != c->written + c->left_out)
		log_warn("CPU %d: the kernel's records tell of %llu bytes of trace, %llu without those that "
			 "are missing; there were %llu",
			 cpu, (unsigned long long)a->end, (unsigned long long)(a->end - a->untold),
			 (unsigned long long)(c->written + c->left_out));
}
