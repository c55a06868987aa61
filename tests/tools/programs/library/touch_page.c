// SPDX-License-Identifier: GPL-2.0-only
/* What each library of many_libraries has: a function that needs nothing else, where the file's entry is. */
void touch_page(volatile char *page);

__attribute__((visibility("default"))) void touch_page(volatile char *page)
{
	*page = 1;
}
