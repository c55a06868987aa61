// SPDX-License-Identifier: GPL-2.0-only
#include "stretch.h"

/* As many in a row, in both, tell where a piece with a difference belongs. */
#define ANCHOR 24
#define MAX_ANCHORS 256

/* So much may be missing or too much between a piece's beginning and what tells where it belongs. */
#define REALIGN_REACH 256

/* More of what ran than was decoded, for the message. */
#define SHOWN_BEHIND 4096

/* A polynomial over the branches, modulo 2^64: what has another value is not equal. */
#define HASH_BASE 0x9e3779b97f4a7c15u

static uint64_t branch_hash(struct decoded_branch b)
{
	return (b.from ^ (b.to << 29 | b.to >> 35)) * 0xbf58476d1ce4e5b9u ^ b.to >> 7;
}

static uint64_t hash_ran(const struct record_list *s, uint64_t i)
{
	return branch_hash(traced_stream__as_decoded(s->rec[i]));
}

/* A window of the piece's length that moves over what ran. */
struct scan {
	const struct record_list *s;
	struct piece piece;
	uint64_t at;
	uint64_t hash, wanted; /* of the window, of the piece */
	uint64_t highest;      /* HASH_BASE to the power of the length less one */
};

static bool scan__init(struct scan *scan, const struct record_list *s, struct piece piece, uint64_t at)
{
	*scan = (struct scan){.s = s, .piece = piece, .at = at, .highest = 1};
	if (at > s->nr || s->nr - at < piece.nr)
		return false;
	for (uint64_t i = 0; i < piece.nr; i++) {
		scan->hash = scan->hash * HASH_BASE + hash_ran(s, at + i);
		scan->wanted = scan->wanted * HASH_BASE + branch_hash(piece.dec[i]);
		if (i)
			scan->highest *= HASH_BASE;
	}
	return true;
}

static bool scan__move(struct scan *scan)
{
	uint64_t len = scan->piece.nr;

	if (scan->at + len >= scan->s->nr)
		return false;
	if (len) {
		scan->hash -= hash_ran(scan->s, scan->at) * scan->highest;
		scan->hash = scan->hash * HASH_BASE + hash_ran(scan->s, scan->at + len);
	}
	scan->at++;
	return true;
}

static struct branch_pair pair_at(const struct record_list *s, uint64_t at, struct piece piece)
{
	return (struct branch_pair){
		.ran = s->rec + at,
		.nr_ran = s->nr - at < piece.nr + SHOWN_BEHIND ? s->nr - at : piece.nr + SHOWN_BEHIND,
		.dec = piece.dec,
		.nr_dec = piece.nr,
		.open_end = true,
	};
}

static bool scan__is_match(const struct scan *scan)
{
	struct branch_pair p;

	if (scan->hash != scan->wanted)
		return false;
	p = pair_at(scan->s, scan->at, scan->piece);
	return branch_pair__first_difference(&p) == scan->piece.nr;
}

/* The decoder's sync point at @ip lies between the branches before and at @next. */
static bool is_on_the_way(const struct record_list *s, uint64_t next, uint64_t ip)
{
	struct decoded_branch before =
		next ? traced_stream__as_decoded(s->rec[next - 1]) : (struct decoded_branch){0};

	if (!before.to || ip < before.to)
		return false;
	return next == s->nr || ip <= s->rec[next]->from;
}

/* How a stretch that goes on at @scan may begin with the piece's 0 -> @ip, if it has one. */
static bool fits_start(const struct scan *scan, const struct decoded_branch *start, struct stretch *ret)
{
	const struct branch_pair before = {.ran = scan->s->rec, .dec = start};

	*ret = (struct stretch){.first = scan->at, .end = scan->at + scan->piece.nr};
	if (!start)
		return true;
	if (scan->at && branch_pair__is_equal(&before, scan->at - 1, 0)) {
		ret->first--;
		return true;
	}
	return is_on_the_way(scan->s, scan->at, start->to);
}

bool stretch__find(const struct record_list *s, struct piece piece, uint64_t from, uint64_t end,
		   struct stretch *ret)
{
	const struct decoded_branch *start = piece.dec->from ? NULL : piece.dec;
	uint64_t lowest = from;
	struct scan scan;

	if (start)
		piece = (struct piece){.dec = piece.dec + 1, .nr = piece.nr - 1};
	if (end > piece.nr && end - piece.nr > from)
		from = end - piece.nr;
	if (!scan__init(&scan, s, piece, from))
		return false;
	do {
		if (scan__is_match(&scan) && fits_start(&scan, start, ret) && ret->first >= lowest)
			return true;
	} while (scan__move(&scan));
	return false;
}

/* Both sides so that @ran is beside @dec, and begin as early as both can. */
static struct branch_pair pair_around(const struct record_list *s, struct piece piece, uint64_t ran,
				      uint64_t dec, uint64_t *before)
{
	*before = ran < dec ? ran : dec;
	piece.dec += dec - *before;
	piece.nr -= dec - *before;
	return pair_at(s, ran - *before, piece);
}

/* Where @p, whose sides are equal at @inside, differs next; before it if they are equal to the end. */
static uint64_t difference_around(const struct branch_pair *p, uint64_t inside, uint64_t *equal)
{
	uint64_t i = inside;

	while (i < p->nr_ran && i < p->nr_dec && branch_pair__is_equal(p, i, i))
		i++;
	*equal = i - inside;
	if (i < p->nr_dec)
		return i;
	while (inside && branch_pair__is_equal(p, inside - 1, inside - 1))
		inside--;
	return inside ? inside - 1 : 0;
}

/* From the branches in a row at @dec on, looks for the place where most behind them is equal. */
static bool nearest_by(const struct record_list *s, struct piece piece, uint64_t dec, struct branch_pair *ret,
		       uint64_t *at)
{
	struct piece anchor = {.dec = piece.dec + dec, .nr = piece.nr - dec};
	uint64_t best = 0, found = 0;
	struct scan scan;

	if (anchor.nr > ANCHOR)
		anchor.nr = ANCHOR;
	if (!scan__init(&scan, s, anchor, 0))
		return false;
	do {
		uint64_t before, equal, place;
		struct branch_pair p;

		if (!scan__is_match(&scan))
			continue;
		found++;
		p = pair_around(s, piece, scan.at, dec, &before);
		place = difference_around(&p, before, &equal);
		if (equal > best) {
			best = equal;
			*ret = p;
			*at = place;
		}
	} while (found < MAX_ANCHORS && scan__move(&scan));
	return best > 0;
}

/*
 * The sides are aligned by what is behind a difference. Aligns them by what is before it, if the piece's
 * beginning ran near there: a reader goes from front to back, and so does what says what is missing.
 */
static void align_at_beginning(const struct record_list *s, struct piece piece, struct branch_pair *p,
			       uint64_t *at)
{
	uint64_t skip = piece.dec->from ? 0 : 1, begin = (uint64_t)(p->ran - s->rec), best = skip;

	if (p->dec != piece.dec)
		return;
	for (uint64_t i = begin > REALIGN_REACH ? begin - REALIGN_REACH : 0;
	     i < begin + REALIGN_REACH && i + skip < s->nr; i++) {
		struct branch_pair q = pair_at(s, i, piece);
		uint64_t n = skip;

		while (n < q.nr_ran && n < q.nr_dec && branch_pair__is_equal(&q, n, n))
			n++;
		if (n <= best)
			continue;
		best = n;
		*p = q;
		*at = n;
	}
}

bool stretch__nearest(const struct record_list *s, struct piece piece, struct branch_pair *ret, uint64_t *at)
{
	uint64_t last = piece.nr > ANCHOR ? piece.nr - ANCHOR : 0;
	const uint64_t anchors[] = {0, 1, last / 2, last};

	for (size_t i = 0; i < sizeof(anchors) / sizeof(*anchors); i++) {
		if (anchors[i] >= piece.nr || !nearest_by(s, piece, anchors[i], ret, at))
			continue;
		if (ret->dec + *at < piece.dec + anchors[i])
			align_at_beginning(s, piece, ret, at);
		return true;
	}
	return false;
}
