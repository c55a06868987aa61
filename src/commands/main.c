// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/record.h"
#include "kernel/libbpf_log.h"
#include "version.h"

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("auxbpf " AUXBPF_VERSION);
		return EXIT_SUCCESS;
	}
	libbpf_log__init();
	return record__main(argc, argv, AUXBPF_VERSION);
}
