// SPDX-License-Identifier: GPL-2.0-only
#include "fires.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fires.skel.h"

#define MAX_FDS 1024

struct fires {
	struct fires_bpf *skel;
	struct ring_buffer *ring;
	FILE *to; /* of the call of fires__print() that runs */
};

static bool is_map(int fd, const char *name)
{
	struct bpf_map_info info = {0};
	__u32 size = sizeof(info);
	char path[32], what[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, what, sizeof(what) - 1) > 0 && !strcmp(what, "anon_inode:bpf-map") &&
	       !bpf_obj_get_info_by_fd(fd, &info, &size) && !strcmp(info.name, name);
}

/* The gate is in this process, so its maps are among our descriptors. */
static int share_map(struct bpf_map *map)
{
	int fd = 0;

	while (fd < MAX_FDS && !is_map(fd, bpf_map__name(map)))
		fd++;
	return fd < MAX_FDS ? bpf_map__reuse_fd(map, fd) : -ENOENT;
}

static int print(void *ctx, void *data, size_t size)
{
	const struct fire *f = data;
	struct fires *fires = ctx;

	fprintf(fires->to, "%llu %u %u %u %s\n", (unsigned long long)f->time, f->tid, f->cpu, f->state,
		*f->waker ? f->waker : "-");
	return 0;
}

int fires__new(struct fires **ret)
{
	_cleanup_(cleanup__fires) struct fires *fires = calloc(1, sizeof(*fires));
	int err;

	if (!fires)
		return -ENOMEM;
	fires->skel = fires_bpf__open();
	if (!fires->skel)
		return -errno;
	err = share_map(fires->skel->maps.trigger_states);
	if (!err)
		err = share_map(fires->skel->maps.histories);
	if (!err)
		err = fires_bpf__load(fires->skel);
	if (!err)
		err = fires_bpf__attach(fires->skel);
	if (err)
		return err;
	fires->ring = ring_buffer__new(bpf_map__fd(fires->skel->maps.fires), print, fires, NULL);
	if (!fires->ring)
		return -errno;
	*ret = steal_ptr(fires);
	return 0;
}

void fires__print(struct fires *fires, FILE *to)
{
	fires->to = to;
	ring_buffer__consume(fires->ring);
}

void fires__free(struct fires *fires)
{
	if (!fires)
		return;
	ring_buffer__free(fires->ring);
	fires_bpf__destroy(fires->skel);
	free(fires);
}
