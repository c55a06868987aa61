# SPDX-License-Identifier: GPL-2.0-only
#
# gate_bench compares what the gate costs, with count.so, a plugin of QEMU's that counts instructions; limits_bench what
# rules cost; bench_copy, bench_ask and bench_calls are run by the scripts. The tests build them, and run none of them.

BENCH_OBJECTS := $(patsubst tests/bench/%.c,$(O)/bench/%.o,\
	$(filter-out tests/bench/count.c tests/bench/copy.c tests/bench/ask.c tests/bench/calls.c tests/bench/%_bench.c \
	tests/bench/%.bpf.c,$(wildcard tests/bench/*.c)))
BENCH_CFLAGS = $(AUXBPF_CFLAGS) -Itests/bench -isystem $(O)/bench

.PHONY: bench-programs
bench-programs: $(O)/tests/gate_bench $(O)/tests/limits_bench $(O)/tests/write_bench \
	$(O)/bench/count.so $(O)/tests/bench_copy $(O)/tests/bench_ask $(O)/tests/bench_calls

$(O)/bench/%.o: tests/bench/%.c $(O)/flags | $(SKELETONS) $(O)/bench/empty.skel.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(BENCH_CFLAGS) -MD -MP -c -o $@ $<

$(O)/bench/empty.bpf.o: tests/bench/empty.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/bench/empty.skel.h: $(O)/bench/empty.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name empty_bpf >$@.tmp && mv $@.tmp $@

$(O)/tests/gate_bench $(O)/tests/limits_bench $(O)/tests/write_bench: $(O)/tests/%: $(O)/bench/%.o $(BENCH_OBJECTS) $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(BENCH_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/tests/bench_copy $(O)/tests/bench_ask $(O)/tests/bench_calls: $(O)/tests/bench_%: tests/bench/%.c $(O)/flags
	@mkdir -p $(@D) $(O)/bench
	$(call say,CC,$<)$(CC) $(TEST_PROGRAM_CFLAGS) -O2 -static -MMD -MP -MF $(O)/bench/$*.d -o $@ $<

$(O)/bench/count.so: tests/bench/count.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(BASE_CFLAGS) -Itests/tools/trace-unit -fPIC $(shell $(PKG_CONFIG) --cflags glib-2.0) \
		$(LDFLAGS) -shared -o $@ $<

-include $(wildcard $(O)/bench/*.d)
