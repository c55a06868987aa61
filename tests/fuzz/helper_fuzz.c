// SPDX-License-Identifier: GPL-2.0-only
/* What the process that opens files of others answers. */
#include <sys/socket.h>

#include "files/file_helper.h"
#include "fuzz.h"

/* One end, on the other of which the answers lie, each of at most @part bytes; nobody reads there. */
static int give(const uint8_t *data, size_t size, size_t part)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		abort();
	for (int i = 0; i < 4 && size; i++) {
		size_t len = size < part ? size : part;

		if (send(pair[1], data, len, MSG_NOSIGNAL) != (ssize_t)len)
			abort();
		data += len;
		size -= len;
	}
	shutdown(pair[1], SHUT_WR);
	/* Open until the helper is released: the requests need somewhere to lie. */
	return pair[0] | pair[1] << 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct record_mmap map = {.start = 0x1000, .len = 0x1000, .name = "file"};
	struct fuzz_input in = {data, size};
	uint8_t what = (uint8_t)fuzz__number(&in, 1);
	int fds = give(in.data, in.len, 48);
	struct file_helper helper;
	struct build_id id = {0};
	uint64_t bytes = 0;
	int watch_fd;

	file_helper__init(&helper, FILE_HELPER_TIME);
	if (file_watch__new(NULL, &watch_fd, &helper.watch))
		abort();
	helper.fd = fds & 0xffff;
	if (what % 4 == 0)
		(void)!file_helper__open_mapped(&helper, "", 1, &map, &id);
	else if (what % 4 == 1)
		(void)!file_helper__open_in(&helper, 0, "name", &id);
	else if (what % 4 == 2)
		(void)!file_helper__data_bytes(&helper, 0, &bytes);
	else
		(void)!file_helper__copy(&helper, 0, 0, 1 << 20, &bytes);
	file_helper__release(&helper);
	close(fds >> 16);
	close(watch_fd);
	return 0;
}
