# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzers: in a build with SAN=1, tests/fuzz/NAME_fuzz.c becomes $(O)/fuzz/NAME_fuzz, with libFuzzer. tests/fuzz/NAME holds
# the inputs to begin with, those that broke something once among them: the same source becomes the unit test
# NAME_replay_test, which goes through them.

FUZZERS := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
# Done in the fuzzer's own process: fuzz.h.
FUZZ_WRAP := -Wl,--wrap=file_helper__run
FUZZ_CFLAGS = $(AUXBPF_CFLAGS) -Itests/unit -Itests/fuzz
UNIT_TESTS += $(FUZZERS:%=$(O)/unit/%_replay_test)

ifneq ($(SAN),)
.PHONY: fuzzers
fuzzers: $(FUZZERS:%=$(O)/fuzz/%_fuzz)

$(O)/fuzz/%_fuzz: tests/fuzz/%_fuzz.c $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,FUZZ,$<)$(CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< $(O)/libauxbpf.a $(FUZZ_WRAP) $(LIBS)
endif

$(O)/unit/%_replay_test: tests/fuzz/%_fuzz.c $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(FUZZ_CFLAGS) -DFUZZ_INPUTS='"tests/fuzz/$*"' -MMD -MP -o $@ $< $(O)/libauxbpf.a $(FUZZ_WRAP) $(LIBS)

-include $(wildcard $(O)/fuzz/*.d)
