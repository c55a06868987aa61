/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of a log, in a row. They are the log's and live as long as it. */
#ifndef ORACLE_RECORD_LIST_H
#define ORACLE_RECORD_LIST_H

#include <stdint.h>

#include "base/cleanup.h"
#include "oracle_log.h"

/* Zero-initialised is valid and empty. */
struct record_list {
	const struct oracle_record **rec;
	uint64_t nr;
	uint64_t cap;
};

/* Returns 0 or -ENOMEM. */
int record_list__add(struct record_list *list, const struct oracle_record *rec) _must_check_ _nonnull_(1, 2);
/* Keeps one of the records of each branch, in no order. */
void record_list__unique(struct record_list *list) _nonnull_(1);
void record_list__release(struct record_list *list) _nonnull_(1);

#endif
