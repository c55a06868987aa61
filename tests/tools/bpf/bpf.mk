# SPDX-License-Identifier: GPL-2.0-only
#
# BPF programs that tests load beside the gate.

OBSERVERS := $(O)/tests/observer_syscall.bpf.o $(O)/tests/observer_function.bpf.o

tests: $(OBSERVERS)

$(O)/tests/observer_function.bpf.o: OBSERVER_CFLAGS := -DOBSERVE_FUNCTION

$(OBSERVERS): tests/tools/bpf/observer.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) $(OBSERVER_CFLAGS) -c -o $@ $<

tests: $(O)/tests/counter.bpf.o

$(O)/tests/counter.bpf.o: tests/tools/bpf/counter.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<
