// SPDX-License-Identifier: GPL-2.0-only
#include "session/sideband_start.h"

int sideband_start__drain(struct cpu_trace *cpus, size_t nr, struct capture_file *file)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		err = cpu_trace__drain_idle(&cpus[i]);
		if (!err && file)
			err = capture_file__follow(file, buf__span(&cpus[i].sideband));
	}
	return err;
}
