# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that load the gate without an AUX event.

GATE_TOOLS := $(patsubst %,$(O)/tests/%,gate_load gate_user trigger_watch)

tests: $(GATE_TOOLS)

$(O)/tests/gate/fires.bpf.o: tests/tools/gate/fires.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/tests/gate/fires.skel.h: $(O)/tests/gate/fires.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name fires_bpf >$@.tmp && mv $@.tmp $@

$(O)/tests/gate/%.o: tests/tools/gate/%.c $(O)/flags | $(SKELETONS) $(O)/tests/gate/fires.skel.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -isystem $(O)/tests/gate -MD -MP -c -o $@ $<

$(O)/tests/trigger_watch: $(O)/tests/gate/fires.o

$(GATE_TOOLS): $(O)/tests/%: $(O)/tests/gate/%.o $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(AUXBPF_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

-include $(wildcard $(O)/tests/gate/*.d)
