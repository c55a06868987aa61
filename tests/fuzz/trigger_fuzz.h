/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must be true of every text that is read as a rule and as a file of rules, for the fuzzer and for the unit
 * test of rules that are cut off.
 */
#ifndef AUXBPF_TESTS_TRIGGER_FUZZ_H
#define AUXBPF_TESTS_TRIGGER_FUZZ_H

#include "rules/trigger_set.h"
#include "trigger_synth.h"

/* Conditions only go forward, so they end, and name no field that the kind does not have. */
static bool trigger_fuzz__is_sound_condition(const struct auxbpf_condition *rule)
{
	if (!rule->nr_tests || rule->nr_tests > AUXBPF_CONDITION_TESTS)
		return false;
	for (uint32_t i = 0; i < rule->nr_tests; i++) {
		const struct auxbpf_condition_test *test = &rule->tests[i];

		if (test->field >= AUXBPF_FIELD_NR || test->if_true <= i || test->if_false <= i)
			return false;
		if (test->if_true < AUXBPF_CONDITION_TRUE && test->if_true >= rule->nr_tests)
			return false;
		if (test->if_false < AUXBPF_CONDITION_TRUE && test->if_false >= rule->nr_tests)
			return false;
	}
	return true;
}

static bool trigger_fuzz__is_sound(const struct trigger *t)
{
	bool is_call = t->kind == AUXBPF_TRIGGER_SYSCALL || t->kind == AUXBPF_TRIGGER_FUNCTION;
	uint32_t extras = t->fields >> AUXBPF_FIELD_EXTRA0;

	if ((unsigned int)t->kind >= AUXBPF_TRIGGER_USER || t->nr_extra > AUXBPF_TRIGGER_EXTRAS)
		return false;
	if (t->has_condition && !trigger_fuzz__is_sound_condition(&t->condition))
		return false;
	if (!t->has_condition && t->fields)
		return false;
	if (extras >> t->nr_extra || !t->where != (t->kind != AUXBPF_TRIGGER_FUNCTION) ||
	    !t->tracepoint.event != (t->kind != AUXBPF_TRIGGER_TRACEPOINT))
		return false;
	return t->at_entry == (is_call && !(t->fields & CONDITION_FIELDS_RESULT));
}

/* What was understood is understood again, from the text that is kept of it. */
static bool trigger_fuzz__is_stable(const struct trigger *t)
{
	char message[RULE_MESSAGE_SIZE];
	struct trigger again;
	bool same;

	if (trigger__parse(t->text, &synth_opts, &again, message, sizeof(message)))
		return false;
	same = again.kind == t->kind && !strcmp(again.text, t->text) && again.fields == t->fields &&
	       !memcmp(&again.condition, &t->condition, sizeof(again.condition)) &&
	       !memcmp(&again.syscalls, &t->syscalls, sizeof(again.syscalls));
	trigger__release(&again);
	return same;
}

/* A message has three lines; the last is blanks and a caret. */
static bool trigger_fuzz__is_message(const char *message)
{
	const char *caret = strrchr(message, '\n');

	return caret && caret != strchr(message, '\n') && *message != '\n' &&
	       !strcmp(caret + 1 + strspn(caret + 1, " "), "^");
}

/* NULL, or what is wrong. */
static const char *trigger_fuzz__check_rule(const char *text)
{
	char message[RULE_MESSAGE_SIZE];
	struct trigger t;
	const char *wrong = NULL;

	if (trigger__parse(text, &synth_opts, &t, message, sizeof(message)))
		return trigger_fuzz__is_message(message) ? NULL : "the message";
	if (!trigger_fuzz__is_sound(&t))
		wrong = "the rule";
	else if (!trigger_fuzz__is_stable(&t))
		wrong = "the text of the rule";
	trigger__release(&t);
	return wrong;
}

static const char *trigger_fuzz__check_file(const char *text)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct trigger_set set = {0};
	const char *wrong = NULL;

	if (trigger_set__add_file(&set, text, "rules", &synth_opts, message, sizeof(message)) == -EINVAL &&
	    strncmp(message, "rules", 5))
		wrong = "the message for the file";
	for (size_t i = 0; i < set.nr && !wrong; i++) {
		if (!trigger_fuzz__is_sound(&set.all[i]))
			wrong = "a rule of the file";
	}
	trigger_set__release(&set);
	return wrong;
}

static const char *trigger_fuzz__check(const char *text)
{
	const char *wrong = trigger_fuzz__check_rule(text);

	return wrong ? wrong : trigger_fuzz__check_file(text);
}

#endif
