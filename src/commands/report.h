/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXBPF_COMMANDS_REPORT_H
#define AUXBPF_COMMANDS_REPORT_H

/* The command `auxbpf report`. Returns the exit status. */
int report__main(int argc, char **argv);

#endif
