/* SPDX-License-Identifier: MIT */
/* with ArtifactSandboxSession(lang="python") as session:
 *     result = session.run(code)
 *     for i, plot in enumerate(result.plots):
 *         save(f"plot_{i}.{plot.format.value}", plot.content_base64)
 *
 * Every session takes figures: matplotlib's, plotly's, and all that a notebook would show. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static const char CODE[] =
		"try:\n"
		"    import matplotlib.pyplot as plt\n"
		"    plt.plot([1, 4, 9])\n"
		"    plt.title('squares')\n"
		"    plt.show()\n"
		"except ImportError:\n" /* as a notebook: an object that knows how it looks */
		"    class Drawing:\n"
		"        def _repr_svg_(self):\n"
		"            return '<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>'\n"
		"    display(Drawing())\n";

/* Text as it is, all else in base64: what to write into a file, or to send to a browser. */
static void show(size_t i, const struct trm_display *plot)
{
	printf("plot %zu: %s, %s", i, plot->mime, plot->n > 0 ? "not empty" : "empty");
	if (plot->has_size)
		printf(", %s", plot->width > 0 && plot->height > 0 ? "with a size" : "without a size");
	printf("\n");
}

int main(void)
{
	struct trm_execution result;
	struct trm_error why;
	int r = trm_run_once("python", CODE, &result, &why);
	if (r < 0)
		fprintf(stderr, "%s\n", why.msg);
	else if (result.has_error)
		fprintf(stderr, "%s\n", result.error);
	for (size_t i = 0, n = 0; r == 0 && i < result.result->n_displays; i++)
		if (trm_display_is_figure(&result.result->displays[i]))
			show(n++, &result.result->displays[i]);
	r = r < 0 || result.has_error;
	trm_execution_finish(&result);
	return r;
}
