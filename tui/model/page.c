/* SPDX-License-Identifier: MIT */
#include "model/page.h"

#include "model/model.h"

struct page_ops {
	enum key_context key_context;
	const char *opens, *leaves; /* names of commands; NULL: no command only opens it */
	bool (*is_shown)(const struct model *m);
	void (*leave)(struct model *m, struct effects *out);
	bool (*mouse)(struct model *m, const struct event *ev, struct effects *out);
};

static bool is_table_shown(const struct model *m)
{
	return m->table_page.is_shown;
}

static void leave_table(struct model *m, struct effects *out)
{
	(void)out;
	table_page_close(m);
}

static bool is_gallery_shown(const struct model *m)
{
	return m->gallery.is_shown;
}

static bool is_list_shown(const struct model *m)
{
	return m->sandboxes.is_shown;
}

/* The uppermost first. */
static const struct page_ops pages[] = {
		{CONTEXT_TABLE, NULL, "table-leave", is_table_shown, leave_table, table_page_mouse},
		{CONTEXT_GALLERY, "gallery", "gallery-leave", is_gallery_shown, gallery_close, gallery_mouse},
		{CONTEXT_SANDBOXES, "sandboxes", "sandboxes-back", is_list_shown, sandboxes_leave,
				sandboxes_mouse},
};
enum { PAGES = sizeof pages / sizeof *pages };

static const struct page_ops *uppermost(const struct model *m)
{
	for (int i = 0; i < PAGES; i++)
		if (pages[i].is_shown(m))
			return &pages[i];
	return NULL;
}

enum key_context page_context(const struct model *m)
{
	const struct page_ops *page = uppermost(m);

	return page ? page->key_context : CONTEXT_COUNT;
}

bool page_is_shown(const struct model *m)
{
	return uppermost(m) != NULL;
}

bool page_is_opened_by(const struct model *m, const struct command *c)
{
	const struct page_ops *page = uppermost(m);

	return page && page->opens && command_is(c, page->opens);
}

void page_leave_all(struct model *m, struct effects *out)
{
	for (int i = 0; i < PAGES; i++)
		if (pages[i].is_shown(m))
			pages[i].leave(m, out);
}

bool page_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	const struct page_ops *page = uppermost(m);

	return page && page->mouse(m, ev, out);
}

const char *page_leave_command(const struct model *m)
{
	return uppermost(m)->leaves;
}
