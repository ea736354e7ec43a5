/* SPDX-License-Identifier: MIT */
/* libterrarium in a GLib main loop (GTK, GStreamer ...): a GSource stands for the loop of the library.
 *
 *   cc embed_glib.c run_code.c $(pkg-config --cflags --libs terrarium glib-2.0) && ./a.out local 'print(6 *
 * 7)' */
#include <glib.h>
#include <stdio.h>

#include "run_code.h"

struct loop_source {
	GSource source;
	struct trm_loop *loop;
	gpointer fd;
};

static gboolean prepare(GSource *source, gint *timeout_ms)
{
	*timeout_ms = trm_loop_timeout_ms(((struct loop_source *)source)->loop);
	return *timeout_ms == 0;
}

static gboolean check(GSource *source)
{
	struct loop_source *s = (struct loop_source *)source;
	return g_source_query_unix_fd(source, s->fd) != 0 || trm_loop_timeout_ms(s->loop) == 0;
}

static gboolean dispatch(GSource *source, GSourceFunc callback, gpointer user)
{
	trm_loop_dispatch(((struct loop_source *)source)->loop);
	return callback(user);
}

static GSource *loop_source_new(struct trm_loop *loop)
{
	static GSourceFuncs functions = {.prepare = prepare, .check = check, .dispatch = dispatch};
	struct loop_source *s = (struct loop_source *)g_source_new(&functions, sizeof *s);
	s->loop = loop;
	s->fd = g_source_add_unix_fd(&s->source, trm_loop_fd(loop), G_IO_IN);
	return &s->source;
}

/* ---- the program ---- */

static gboolean on_tick(gpointer ticks)
{
	++*(unsigned *)ticks;
	return G_SOURCE_CONTINUE;
}

static gboolean go_on(gpointer run)
{
	return ((struct run_code *)run)->is_closed ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

int main(int argc, char **argv)
{
	struct trm_loop *loop;
	struct run_code run;
	unsigned ticks = 0;
	if (argc != 3 || trm_loop_create(&loop, NULL) < 0 || run_code(loop, argv[1], argv[2], &run) < 0)
		return 1;
	GSource *source = loop_source_new(loop);
	g_source_set_callback(source, go_on, &run, NULL);
	g_source_attach(source, NULL);
	g_timeout_add(20, on_tick, &ticks);
	while (!g_source_is_destroyed(source))
		g_main_context_iteration(NULL, TRUE);
	g_source_unref(source);
	trm_loop_destroy(loop);
	printf("meanwhile %s\n", ticks ? "the timer ticked" : "nothing happened");
	return run.exit_code;
}
