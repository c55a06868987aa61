// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "rules/event_list.h"

/* The items of @list, with a blank behind each. */
static void splits(const char *list, const char *items)
{
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *item, found[128] = "";

	while ((item = event_list__next(&rest))) {
		strcat(found, item);
		strcat(found, " ");
	}
	CHECK_STREQ(found, items);
}

int main(void)
{
	splits("cpu-clock", "cpu-clock ");
	splits("cpu-clock,intel_pt//", "cpu-clock intel_pt// ");
	splits("intel_pt//,cpu-clock", "intel_pt// cpu-clock ");
	splits("intel_pt/cyc,mtc=0/ku,sched:sched_switch:u,cs",
	       "intel_pt/cyc,mtc=0/ku sched:sched_switch:u cs ");
	splits("cpu/event=1,umask=2/,cpu/event=3/u", "cpu/event=1,umask=2/ cpu/event=3/u ");
	splits("intel_pt/cyc,noretcomp", "intel_pt/cyc,noretcomp ");
	splits("mem:0x601040/8:w,cpu-clock", "mem:0x601040/8:w cpu-clock ");
	splits("{cs,faults}", "{cs,faults} ");
	splits("{mem:0x40/8,cs}:u,cpu/a,b/,{faults,cpu/a=1,b/u}",
	       "{mem:0x40/8,cs}:u cpu/a,b/ {faults,cpu/a=1,b/u} ");
	splits("{cs,faults", "{cs,faults ");
	splits("", " ");
	splits("cs,", "cs  ");
	splits(",cs", " cs ");
	return check__done();
}
