// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_object.h"

#include <errno.h>

#include "auxbpf_trigger.h"
#include "auxbpf.skel.h"
#include "loader/session_object.h"

int gate_object__find(struct auxbpf_bpf *skel, int fd, __u64 *ret)
{
	struct auxbpf_session *session = &skel->bss->memory.session;
	int err;

	session->fd = fd;
	err = session_object__run(skel->progs.find_object, -1);
	if (err)
		return err;
	*ret = session->object;
	return *ret ? 0 : -ENOENT;
}
