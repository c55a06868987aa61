# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that load the gate without an AUX event.

GATE_TOOLS := $(patsubst tests/gate/%.c,$(O)/tests/%,$(wildcard tests/gate/*.c))

tests: $(GATE_TOOLS)

$(GATE_TOOLS): $(O)/tests/%: tests/gate/%.c $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -MMD -MP -o $@ $< $(O)/libauxbpf.a $(LIBS)

-include $(GATE_TOOLS:=.d)
