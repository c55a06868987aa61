/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxbpf's main command: traces windows of a command or of processes, and writes what was traced.
 */
#ifndef AUXBPF_COMMANDS_RECORD_H
#define AUXBPF_COMMANDS_RECORD_H

/*
 * Parses the command line and runs the capture; @version goes into the file's header. Returns the exit
 * status, which is 2 for a wrong command line.
 */
int record__main(int argc, char **argv, const char *version);

#endif
