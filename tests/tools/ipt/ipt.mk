# SPDX-License-Identifier: GPL-2.0-only
#
# A reader of trace on libipt alone, for tests/lab/x86/readers.bats, which runs where it was built.

tests: $(if $(CROSS),,$(O)/tests/ipt-packets)

$(O)/tests/ipt-packets: tests/tools/ipt/ipt_packets.c $(O)/flags
	@mkdir -p $(@D) $(O)/ipt
	$(call say,CC,$<)$(CC) $(BASE_CFLAGS) $(LDFLAGS) -MMD -MP -MF $(O)/ipt/ipt_packets.d -o $@ $< -lipt

-include $(O)/ipt/ipt_packets.d
