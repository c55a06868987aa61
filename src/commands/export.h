/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXBPF_COMMANDS_EXPORT_H
#define AUXBPF_COMMANDS_EXPORT_H

/* The command `auxbpf export`. Returns the exit status. */
int export__main(int argc, char **argv);

#endif
