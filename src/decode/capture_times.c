// SPDX-License-Identifier: GPL-2.0-only
#include "decode/capture_times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "perfdata/feature.h"

#define MAGIC "PERFILE2"

struct section {
	uint64_t offset, size;
};

/* struct perf_file_header */
struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

_Static_assert(sizeof(struct file_header) == 104, "the header is as perf writes it");

static bool read_at(int fd, uint64_t offset, void *to, size_t size)
{
	return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Opens the file with the records. Opening a FIFO would wait. */
static int open_data(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int data;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (S_ISREG(st.st_mode))
		return steal_fd(&fd);
	data = S_ISDIR(st.st_mode) ? openat(fd, "data", O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (data >= 0 && (fstat(data, &st) || !S_ISREG(st.st_mode))) {
		close(data);
		return -1;
	}
	return data;
}

uint64_t capture_times__last(const char *path)
{
	const uint64_t wanted = 1ull << FEATURE_SAMPLE_TIME;
	_cleanup_close_ int fd = open_data(path);
	struct file_header header;
	struct section section;
	uint64_t times[2], at;

	if (fd < 0 || !read_at(fd, 0, &header, sizeof(header)) ||
	    memcmp(header.magic, MAGIC, sizeof(header.magic)) || !(header.features[0] & wanted))
		return 0;
	/* A section for each feature that there is, in their order, is behind the records. */
	at = header.data.offset + header.data.size +
	     sizeof(section) * (uint64_t)__builtin_popcountll(header.features[0] & (wanted - 1));
	if (!read_at(fd, at, &section, sizeof(section)) || section.size < sizeof(times) ||
	    !read_at(fd, section.offset, times, sizeof(times)))
		return 0;
	return times[1];
}
