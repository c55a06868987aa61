// SPDX-License-Identifier: GPL-2.0-only
/*
 * ipt-packets FILE OFFSET SIZE: reads the trace that lies there with libipt's packet decoder, as ptdump of
 * libipt's sources does, which Debian does not build. Prints how many packets of the main kinds it saw. The
 * first byte must begin a packet stream (PSB) and every packet be whole: status 1 and where, if not.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <intel-pt.h>

static uint8_t *read_trace(const char *path, off_t offset, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *trace = malloc(size ? size : 1);

	if (fd < 0 || !trace || pread(fd, trace, size, offset) != (ssize_t)size) {
		perror(path);
		exit(2);
	}
	close(fd);
	return trace;
}

/* 0 at the end of the trace, or libipt's error. */
static int count_packets(struct pt_packet_decoder *decoder, uint64_t counts[256])
{
	int err = pt_pkt_sync_forward(decoder);
	uint64_t begin = 0;

	if (err < 0)
		return err;
	pt_pkt_get_offset(decoder, &begin);
	if (begin)
		return -pte_nosync;
	for (;;) {
		struct pt_packet packet;

		err = pt_pkt_next(decoder, &packet, sizeof(packet));
		if (err < 0)
			return err == -pte_eos ? 0 : err;
		counts[packet.type & 0xff]++;
	}
}

int main(int argc, char **argv)
{
	struct pt_config config = {.size = sizeof(config)};
	struct pt_packet_decoder *decoder;
	uint64_t counts[256] = {0}, at = 0;
	size_t size;
	int err;

	if (argc != 4)
		return 2;
	size = strtoul(argv[3], NULL, 0);
	config.begin = read_trace(argv[1], (off_t)strtoull(argv[2], NULL, 0), size);
	config.end = config.begin + size;
	decoder = pt_pkt_alloc_decoder(&config);
	if (!decoder)
		return 2;
	err = count_packets(decoder, counts);
	pt_pkt_get_offset(decoder, &at);
	printf("psb %" PRIu64 " tnt %" PRIu64 " tip %" PRIu64 " fup %" PRIu64 "\n", counts[ppt_psb & 0xff],
	       counts[ppt_tnt_8 & 0xff] + counts[ppt_tnt_64 & 0xff], counts[ppt_tip & 0xff],
	       counts[ppt_fup & 0xff]);
	if (err)
		fprintf(stderr, "%s at %" PRIu64 " of %zu\n", pt_errstr(pt_errcode(err)), at, size);
	pt_pkt_free_decoder(decoder);
	free(config.begin);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
