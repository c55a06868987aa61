// SPDX-License-Identifier: GPL-2.0-only
#include "gate/trigger_object.h"

#include <stdint.h>
#include <string.h>

#include "loader/session_object.h"

int trigger_object__join(struct bpf_object *object, const struct trigger_base *base, const void *config,
			 const void *told)
{
	int err = session_object__join(object, base->main, config, base->config);

	/* It is writable until the object is loaded. */
	memcpy((void *)(uintptr_t)told, base->told, sizeof(*base->told));
	return err;
}
