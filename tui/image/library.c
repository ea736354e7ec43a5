/* SPDX-License-Identifier: MIT */
#include "image/library.h"

#include <terrarium/dynlib.h>

/* In the order of the members of the structs, which contain only pointers to functions. */
static const char *const png_symbols[] = {
		"png_image_begin_read_from_memory", "png_image_finish_read", "png_image_free"};
static const char *const jpeg_symbols[] = {
		"tjInitDecompress", "tjDecompressHeader3", "tjDecompress2", "tjDestroy"};
static const char *const svg_symbols[] = {"rsvg_handle_new_from_data", "rsvg_handle_render_document"};
static const char *const cairo_symbols[] = {"cairo_image_surface_create", "cairo_surface_status",
		"cairo_surface_flush", "cairo_image_surface_get_data", "cairo_image_surface_get_stride",
		"cairo_surface_destroy", "cairo_create", "cairo_destroy"};
static const char *const chafa_symbols[] = {"chafa_set_n_threads", "chafa_symbol_map_new",
		"chafa_symbol_map_add_by_tags", "chafa_symbol_map_remove_by_tags", "chafa_canvas_config_new",
		"chafa_canvas_config_set_geometry", "chafa_canvas_config_set_canvas_mode",
		"chafa_canvas_config_set_symbol_map", "chafa_canvas_config_set_work_factor",
		"chafa_canvas_config_set_preprocessing_enabled", "chafa_canvas_new",
		"chafa_canvas_draw_all_pixels", "chafa_canvas_get_char_at", "chafa_canvas_get_raw_colors_at"};
static const char *const zlib_symbols[] = {"compressBound", "compress2"};

#define LIBRARY(file, package, needs, symbols) \
	{ \
		file, package, needs, symbols, sizeof symbols / sizeof *symbols \
	}

static const struct trm_dynlib libraries[LIBRARIES] = {
		[LIBRARY_PNG] = LIBRARY("libpng16.so.16", "libpng16-16", "PNG images need", png_symbols),
		[LIBRARY_JPEG] = LIBRARY(
				"libturbojpeg.so.0", "libturbojpeg0", "JPEG images need", jpeg_symbols),
		[LIBRARY_SVG] = LIBRARY("librsvg-2.so.2", "librsvg2-2", "SVG images need", svg_symbols),
		[LIBRARY_CAIRO] = LIBRARY("libcairo.so.2", "libcairo2", "SVG images need", cairo_symbols),
		[LIBRARY_CHAFA] = LIBRARY("libchafa.so.0", "libchafa0", "images need", chafa_symbols),
		[LIBRARY_ZLIB] = LIBRARY("libz.so.1", "zlib1g", "images need", zlib_symbols),
};

int library_load(enum library library, void *ret, struct trm_error *reterr)
{
	return trm_dynlib_load(&libraries[library], ret, reterr);
}
