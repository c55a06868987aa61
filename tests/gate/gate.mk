# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that load the gate without an AUX event.

tests: $(O)/tests/gate_load

$(O)/tests/gate_load: tests/gate/gate_load.c $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -MMD -MP -o $@ $< $(O)/libauxbpf.a $(LIBS)

-include $(O)/tests/gate_load.d
