/* SPDX-License-Identifier: MIT */
#include "model/page.h"

#include "model/model.h"

enum key_context page_context(const struct model *m)
{
	return m->table_page.is_shown  ? CONTEXT_TABLE
	       : m->gallery.is_shown   ? CONTEXT_GALLERY
	       : m->sandboxes.is_shown ? CONTEXT_SANDBOXES
				       : CONTEXT_COUNT;
}

bool page_is_shown(const struct model *m)
{
	return page_context(m) != CONTEXT_COUNT;
}

void page_leave_all(struct model *m, struct effects *out)
{
	if (m->table_page.is_shown)
		table_page_close(m);
	if (m->gallery.is_shown)
		gallery_close(m);
	sandboxes_leave(m, out);
}

bool page_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	return m->table_page.is_shown ? table_page_mouse(m, ev)
	       : m->gallery.is_shown  ? gallery_mouse(m, ev, out)
				      : sandboxes_mouse(m, ev, out);
}

const char *page_leave_command(const struct model *m)
{
	return m->table_page.is_shown ? "table-leave"
	       : m->gallery.is_shown  ? "gallery-leave"
				      : "sandboxes-back";
}
