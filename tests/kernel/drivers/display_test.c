/* SPDX-License-Identifier: MIT */
/* What the three kernels show: figures, values that know how they look, display(). */
#include "kernel/drivers/harness.h"
#include "langs.h"

#include <stdlib.h>
#include <string.h>

static int start_python(void **state)
{
	*state = driver_start(LANG_PYTHON);
	return 0;
}

static int start_javascript(void **state)
{
	*state = driver_start(LANG_JAVASCRIPT);
	return 0;
}

static int start_bash(void **state)
{
	*state = driver_start(LANG_BASH);
	return 0;
}

static int stop(void **state)
{
	driver_stop(*state);
	return 0;
}

/* A form of the k-th display of the last run; "" if there is none. */
static const char *shown(const struct driver *d, int k, const char *mime)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, d->events)
	{
		const char *ev = cJSON_GetStringValue(cJSON_GetObjectItem(item, "ev"));
		if (!ev || strcmp(ev, "display") != 0 || k-- > 0)
			continue;
		const char *text = cJSON_GetStringValue(
				cJSON_GetObjectItem(cJSON_GetObjectItem(item, "data"), mime));
		return text ? text : "";
	}
	return "";
}

static int n_shown(const struct driver *d)
{
	const cJSON *item;
	int n = 0;
	cJSON_ArrayForEach(item, d->events)
	{
		const char *ev = cJSON_GetStringValue(cJSON_GetObjectItem(item, "ev"));
		n += ev && strcmp(ev, "display") == 0;
	}
	return n;
}

#define PNG_BASE64 "iVBORw0KGgo" /* how every PNG begins */
#define assert_png(d, k) assert_memory_equal(shown(d, k, "image/png"), PNG_BASE64, 11)

/* ---- Python ---------------------------------------------------------------------- */

static void import_pyplot(struct driver *d)
{
	const cJSON *done = driver_run(d, "import matplotlib.pyplot as plt");
	if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(done, "status")), "ok") != 0)
		skip(); /* there is no matplotlib on this machine */
	assert_string_equal(d->err, "");
}

static void matplotlib_shows_its_figures(void **state)
{
	struct driver *d = *state;
	import_pyplot(d);
	check_run(d,
			"plt.plot([1, 3, 2])\nplt.figure()\nplt.bar([1, 2], [3, 4])\nprint(len(plt.get_fignums()))\nplt.show()\n"
			"print(len(plt.get_fignums()))",
			"ok", "2\n0\n");
	assert_int_equal(n_shown(d), 2);
	assert_png(d, 0);
	assert_png(d, 1);
	assert_string_equal(shown(d, 0, "text/plain"), "<Figure size 640x480 with 1 Axes>");
}

/* A member of the k-th display of the last run, which is not one of its forms; "" if there is none. */
static const char *fact(const struct driver *d, int k, const char *name)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, d->events)
	{
		const char *ev = cJSON_GetStringValue(cJSON_GetObjectItem(item, "ev"));
		const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, name));
		if (ev && strcmp(ev, "display") == 0 && k-- == 0)
			return text ? text : "";
	}
	return "";
}

static void figures_that_are_saved_are_shown(void **state)
{
	struct driver *d = *state;
	import_pyplot(d);
	check_run(d, "_ = plt.plot([1]); _ = plt.title('Above'); plt.savefig('a.png'); plt.close()", "ok",
			"");
	assert_int_equal(n_shown(d), 1);
	assert_png(d, 0);
	assert_string_equal(fact(d, 0, "source"), "saved");
	assert_string_equal(fact(d, 0, "title"), "Above");
	/* open, but shown already; what is drawn later is shown at the end */
	check_run(d, "_ = plt.plot([1]); plt.savefig('a.svg'); plt.savefig('b.pdf'); plt.savefig('c.jpg'); plt.savefig('d')",
			"ok", "");
	assert_int_equal(n_shown(d), 4);
	assert_memory_equal(shown(d, 0, "image/svg+xml"), "<?xml", 5);
	assert_string_equal(fact(d, 0, "title"), "a.svg");
	assert_memory_equal(shown(d, 1, "application/pdf"), "JVBERi0", 7);
	assert_memory_equal(shown(d, 2, "image/jpeg"), "/9j/", 4);
	assert_png(d, 3);
	check_run(d, "_ = plt.plot([1]); plt.savefig('a.png'); _ = plt.plot([2])", "ok", "");
	assert_int_equal(n_shown(d), 2);
	/* not to a file, or not one that is shown */
	check_run(d, "import io; _ = plt.plot([1]); plt.savefig(io.BytesIO()); plt.savefig('a.eps'); plt.close()",
			"ok", "");
	assert_int_equal(n_shown(d), 0);
	check_error(d, "_ = plt.plot([1]); plt.savefig('/nonexistent/a.png')", "FileNotFoundError");
	assert_string_equal(d->err, "");
}

/* Not installed where these tests run: modules of the same names, with the parts that the driver knows. */
#define FAKES \
	"import os\n" \
	"def put(path, text):\n    os.makedirs(os.path.dirname(path), exist_ok=True); open(path, 'w').write(text)\n" \
	"put('plotly/__init__.py', '')\n" \
	"put('plotly/io/__init__.py', 'from ._renderers import renderers, show\\n'\n" \
	"    'def to_html(figure, include_plotlyjs, validate): return \"<script>\" + figure[\"x\"]\\n')\n" \
	"put('plotly/io/_base_renderers.py', 'class ExternalRenderer: pass\\n')\n" \
	"put('plotly/io/_renderers.py', 'from ._base_renderers import ExternalRenderer\\n'\n" \
	"    'class Renderers(dict): default = \"browser\"\\nrenderers = Renderers()\\n'\n" \
	"    'def show(figure): renderers[renderers.default].render(figure)\\n')\n" \
	"put('plotly/basedatatypes.py', 'class BaseFigure(dict):\\n    def _repr_html_(self): return \"cdn\"\\n')\n" \
	"put('bokeh/__init__.py', '')\n" \
	"put('bokeh/embed.py', 'def file_html(obj, resources, title): return title + resources')\n" \
	"put('bokeh/resources.py', 'INLINE = \"<script>\"')\n" \
	"put('bokeh/io/__init__.py', 'from .showing import show')\n" \
	"put('bokeh/io/showing.py', 'class State: file = None\\ndef curstate(): return State\\ndef show(obj): raise OSError\\n')\n" \
	"put('altair/__init__.py', 'class TopLevelMixin:\\n    def _repr_html_(self): return \"<b>chart</b>\"\\n')\n"

static void libraries_show_by_their_own_hooks(void **state)
{
	struct driver *d = *state;
	check_run(d, FAKES, "ok", "");
	check_run(d, "import plotly.io; plotly.io.show({'x': 'bars', 'layout': {'title': {'text': 'Bars'}}})",
			"ok", "");
	assert_string_equal(shown(d, 0, "text/html"), "<script>bars");
	assert_string_equal(fact(d, 0, "title"), "Bars");
	check_run(d, "from plotly.basedatatypes import BaseFigure; display(BaseFigure(x='points'))", "ok",
			"");
	assert_string_equal(shown(d, 0, "text/html"), "<script>points");
	check_run(d, "from bokeh.io import show; show(None)", "ok", "");
	assert_string_equal(shown(d, 0, "text/html"), "Bokeh Plot<script>");
	check_run(d, "import altair; altair.TopLevelMixin().show(); altair.TopLevelMixin().display()", "ok",
			"");
	assert_int_equal(n_shown(d), 2);
	assert_string_equal(shown(d, 1, "text/html"), "<b>chart</b>");
	assert_string_equal(d->err, "");
}

static void images_of_pillow_are_shown(void **state)
{
	struct driver *d = *state;
	const cJSON *done = driver_run(d, "from PIL import Image");
	if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(done, "status")), "ok") != 0)
		skip(); /* it is not on this machine */
	check_run(d, "Image.new('RGB', (3, 2)).show(title='red'); Image.new('CMYK', (3, 2)).show()", "ok",
			"");
	assert_int_equal(n_shown(d), 2);
	assert_png(d, 0);
	assert_string_equal(fact(d, 0, "title"), "red");
	assert_png(d, 1);
}

static void open_figures_are_shown_at_the_end(void **state)
{
	struct driver *d = *state;
	import_pyplot(d);
	check_run(d, "_ = plt.plot([1, 2])", "ok", "");
	assert_int_equal(n_shown(d), 1);
	check_run(d, "print(plt.get_fignums())\nplt.figure() and None", "ok", "[]\n"); /* nothing is on it */
	assert_int_equal(n_shown(d), 0);
	check_error(d, "_ = plt.plot([1, 2])\n1/0", "ZeroDivisionError");
	assert_int_equal(n_shown(d), 1);
}

static void a_figure_as_value_is_shown_once(void **state)
{
	struct driver *d = *state;
	import_pyplot(d);
	check_value(d, "fig, ax = plt.subplots(); _ = ax.plot([1, 2])\nfig",
			"<Figure size 640x480 with 1 Axes>");
	assert_int_equal(n_shown(d), 1);
	assert_png(d, 0);
	check_value(d, "fig", "<Figure size 640x480 with 1 Axes>"); /* and again whenever it is asked for */
	assert_int_equal(n_shown(d), 1);
	check_run(d, "fig2, ax = plt.subplots(); _ = ax.plot([1, 2]); fig2.show()", "ok", "");
	assert_int_equal(n_shown(d), 1);
	check_run(d, "import matplotlib\nmatplotlib.use('Agg')\n_ = plt.plot([1])\nplt.show()", "ok", "");
	assert_int_equal(n_shown(d), 1);
	assert_string_equal(d->err, "");
}

static void a_method_that_fails_does_not_fail_the_run(void **state)
{
	struct driver *d = *state;
	check_value(d,
			"class Bad:\n    def __repr__(self): return 'bad'\n"
			"    def _repr_png_(self): raise ValueError('no ink')\n"
			"    def _repr_html_(self): return '<i>x</i>'\nBad()",
			"bad");
	assert_contains(d->err, "Bad._repr_png_() failed: ValueError: no ink");
	assert_string_equal(shown(d, 0, "text/html"), "<i>x</i>");
	driver_run(d, "class Odd:\n    def _repr_png_(self): return 5\n    def _repr_svg_(self): return None\nOdd()");
	assert_int_equal(n_shown(d), 1);
	assert_string_equal(shown(d, 0, "image/png"), "");
}

static void bundles_of_every_signature_are_taken(void **state)
{
	struct driver *d = *state;
	driver_run(d, "class A:\n    def _repr_mimebundle_(self): return {'text/html': 'a'}\nA()");
	assert_string_equal(shown(d, 0, "text/html"), "a");
	driver_run(d, "class B:\n    def _repr_mimebundle_(self, include, exclude): return {'text/html': 'b'}, {}\nB()");
	assert_string_equal(shown(d, 0, "text/html"), "b");
	driver_run(d, "class C:\n    def _repr_pdf_(self): return b'%PDF-1.4'\nC()");
	assert_string_equal(shown(d, 0, "application/pdf"), "JVBERi0xLjQ=");
}

static void what_is_too_big_is_said(void **state)
{
	struct driver *d = *state;
	check_run(d, "display({'text/html': 'x' * (17 << 20)}, raw=True)", "ok", "");
	assert_contains(shown(d, 0, "text/plain"), "text/html left out: 17825792 characters");
}

/* ---- JavaScript -------------------------------------------------------------------- */

static void javascript_displays(void **state)
{
	struct driver *d = *state;
	check_run(d, "console.log('a'); display(Buffer.from('89504e470d0a1a0a00', 'hex')); console.log('b')",
			"ok", "a\nb\n");
	assert_png(d, 0);
	check_run(d, "display({'text/html': '<b>x</b>', 'image/svg+xml': Buffer.from('<svg/>')}, 5)", "ok",
			"");
	assert_int_equal(n_shown(d), 2);
	assert_string_equal(shown(d, 0, "text/html"), "<b>x</b>");
	assert_string_equal(shown(d, 0, "image/svg+xml"), "<svg/>");
	assert_string_equal(shown(d, 1, "text/plain"), "5");
	check_value(d, "class P { _repr_png_() { return Buffer.from('xx') } }; new P()", "P {}");
	assert_string_equal(shown(d, 0, "image/png"), "eHg=");
	check_value(d, "({[Symbol.for('terrarium.display')]: () => ({'text/markdown': '# hi'}), x: 1}).x",
			"1");
	assert_int_equal(n_shown(d), 0);
	driver_run(d, "({[Symbol.for('terrarium.display')]: () => ({'text/markdown': '# hi'})})");
	assert_string_equal(shown(d, 0, "text/markdown"), "# hi");
}

static void javascript_that_fails_to_show_goes_on(void **state)
{
	struct driver *d = *state;
	driver_run(d, "class Q { _repr_html_() { throw new Error('no ink') } }; new Q()");
	assert_contains(d->err, "_repr_html_() failed: Error: no ink");
	assert_string_equal(driver_text_of(d, "status"), "ok");
	check_run(d, "display({'text/html': 'x'.repeat(17 << 20)})", "ok", "");
	assert_contains(shown(d, 0, "text/plain"), "text/html left out");
	check_run(d, "setTimeout(() => display(5), 5)", "ok", "");
	assert_non_null(driver_wait_event(d, "late"));
}

/* ---- Bash ---------------------------------------------------------------------------- */

static void bash_displays(void **state)
{
	struct driver *d = *state;
	check_run(d, "echo a; printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0abc' > pic; display pic; echo b", "ok",
			"a\nb\n");
	assert_string_equal(shown(d, 0, "image/png"), PNG_BASE64 "AAGFiYw==");
	check_run(d, "echo '<svg a=\"1\">\u00fc</svg>' | display; display --mime text/html <<<'<b>x</b>'",
			"ok", "");
	assert_string_equal(shown(d, 0, "image/svg+xml"), "<svg a=\"1\">\u00fc</svg>");
	assert_string_equal(shown(d, 1, "text/html"), "<b>x</b>");
	check_run(d, "f() { local IFS=,; set -f; display \"$1\"; }; cp pic 'a b.png'; f 'a b.png'; set +f",
			"ok", "");
	assert_png(d, 0);
	check_run(d, "echo '# hi' > x.md; display x.md", "ok", "");
	assert_string_equal(shown(d, 0, "text/markdown"), "# hi");
	check_run(d, "printf '%%PDF-1.4 x' > p; echo '[1]' > x.json; echo a,b > x.csv; display p x.json x.csv",
			"ok", "");
	assert_memory_equal(shown(d, 0, "application/pdf"), "JVBERi0xLjQ", 11);
	assert_string_equal(shown(d, 1, "application/json"), "[1]");
	assert_string_equal(shown(d, 2, "text/csv"), "a,b");
}

static void bash_says_what_it_cannot_show(void **state)
{
	struct driver *d = *state;
	driver_run(d, "display nothing.png; echo $?; echo hello | display || echo no");
	assert_string_equal(d->out, "1\nno\n");
	assert_contains(d->err, "display: cannot read nothing.png");
	assert_contains(d->err, "name it with --mime TYPE");
	driver_run(d, "display --mime 'x\"y' <<<a; display --mime image/png <(head -c 13000000 /dev/zero)");
	assert_contains(d->err, "more than 12 MiB is too much");
	assert_int_equal(n_shown(d), 0);
}

#define PYTHON(test) cmocka_unit_test_setup_teardown(test, start_python, stop)
#define JAVASCRIPT(test) cmocka_unit_test_setup_teardown(test, start_javascript, stop)
#define BASH(test) cmocka_unit_test_setup_teardown(test, start_bash, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
			PYTHON(matplotlib_shows_its_figures),
			PYTHON(figures_that_are_saved_are_shown),
			PYTHON(libraries_show_by_their_own_hooks),
			PYTHON(images_of_pillow_are_shown),
			PYTHON(open_figures_are_shown_at_the_end),
			PYTHON(a_figure_as_value_is_shown_once),
			PYTHON(a_method_that_fails_does_not_fail_the_run),
			PYTHON(bundles_of_every_signature_are_taken),
			PYTHON(what_is_too_big_is_said),
			JAVASCRIPT(javascript_displays),
			JAVASCRIPT(javascript_that_fails_to_show_goes_on),
			BASH(bash_displays),
			BASH(bash_says_what_it_cannot_show),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
