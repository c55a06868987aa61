# SPDX-License-Identifier: GPL-2.0-only
#
# container-names shows what auxbpf makes of the names of cgroups and containers.

tests: $(O)/tests/container-names

$(O)/tests/container-names: tests/tools/container/container_names.c $(O)/libauxbpf.a
	@mkdir -p $(@D) $(O)/programs
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) $(LDFLAGS) -MMD -MP -MF $(O)/programs/container-names.d -o $@ $< \
		$(O)/libauxbpf.a $(LIBS)
