/* SPDX-License-Identifier: MIT */
#include "image/library.h"

#include <dlfcn.h>
#include <string.h>

#include <terrarium/error.h>

#define SYMBOLS_MAX 14

/* In the order of the members of the structs, which hold nothing but pointers to functions. */
static const struct {
	const char *file, *package, *use;
	const char *symbols[SYMBOLS_MAX + 1];
} libraries[LIBRARIES] = {
		[LIBRARY_PNG] = {"libpng16.so.16", "libpng16-16", "PNG images are",
				{"png_image_begin_read_from_memory", "png_image_finish_read",
						"png_image_free"}},
		[LIBRARY_JPEG] = {"libturbojpeg.so.0", "libturbojpeg0", "JPEG images are",
				{"tjInitDecompress", "tjDecompressHeader3", "tjDecompress2", "tjDestroy"}},
		[LIBRARY_SVG] = {"librsvg-2.so.2", "librsvg2-2", "SVG images are",
				{"rsvg_handle_new_from_data", "rsvg_handle_render_document"}},
		[LIBRARY_CAIRO] = {"libcairo.so.2", "libcairo2", "SVG images are",
				{"cairo_image_surface_create", "cairo_surface_status", "cairo_surface_flush",
						"cairo_image_surface_get_data",
						"cairo_image_surface_get_stride", "cairo_surface_destroy",
						"cairo_create", "cairo_destroy"}},
		[LIBRARY_CHAFA] = {"libchafa.so.0", "libchafa0", "images are best",
				{"chafa_set_n_threads", "chafa_symbol_map_new",
						"chafa_symbol_map_add_by_tags",
						"chafa_symbol_map_remove_by_tags", "chafa_canvas_config_new",
						"chafa_canvas_config_set_geometry",
						"chafa_canvas_config_set_canvas_mode",
						"chafa_canvas_config_set_symbol_map",
						"chafa_canvas_config_set_work_factor",
						"chafa_canvas_config_set_preprocessing_enabled",
						"chafa_canvas_new", "chafa_canvas_draw_all_pixels",
						"chafa_canvas_get_char_at",
						"chafa_canvas_get_raw_colors_at"}},
		[LIBRARY_ZLIB] = {"libz.so.1", "zlib1g", "images are", {"compressBound", "compress2"}},
};

int library_load(enum library library, void *ret, struct trm_error *reterr)
{
	void *handle = dlopen(libraries[library].file, RTLD_NOW | RTLD_LOCAL);
	char *out = ret;

	for (const char *const *name = libraries[library].symbols; handle && *name; name++) {
		void *symbol = dlsym(handle, *name);
		if (!symbol) {
			handle = NULL;
			break;
		}
		memcpy(out, &symbol, sizeof symbol); /* as POSIX has it, for ISO C knows no such cast */
		out += sizeof symbol;
	}
	return handle ? 0
		      : trm_error_set(reterr, TRM_ENOTSUP, "%s shown with %s: install the package %s",
				      libraries[library].use, libraries[library].file,
				      libraries[library].package);
}
