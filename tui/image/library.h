/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_LIBRARY_H
#define TUI_IMAGE_LIBRARY_H

/* Libraries that are loaded when an image must be shown, and may be missing. The functions that we use
 * are declared here, as in their public headers (png.h of libpng 1.6, turbojpeg.h 2, rsvg.h 2.46, cairo.h
 * 1.10, chafa.h 1.10, zlib.h 1.2). All are plain C with opaque handles. So the build needs none of the
 * development packages, which would pull in those of GLib. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;

/* png_image, PNG_IMAGE_VERSION 1 */
struct png_image {
	void *opaque;
	uint32_t version, width, height, format, flags, colormap_entries, warning_or_error;
	char message[64];
};

struct library_png {
	int (*begin_read_from_memory)(struct png_image *image, const void *bytes, size_t n);
	int (*finish_read)(struct png_image *image, const void *background, void *out, int32_t stride,
			void *colormap);
	void (*free)(struct png_image *image);
};
struct library_jpeg {
	void *(*init)(void);
	int (*header)(void *handle, const unsigned char *bytes, unsigned long n, int *width, int *height,
			int *subsampling, int *colors);
	int (*decompress)(void *handle, const unsigned char *bytes, unsigned long n, unsigned char *out,
			int width, int pitch, int height, int format, int flags);
	int (*destroy)(void *handle);
};
struct rsvg_rectangle {
	double x, y, width, height;
};
struct library_svg {
	void *(*new_from_data)(const uint8_t *bytes, size_t n, void **error);
	int (*render_document)(
			void *handle, void *cairo, const struct rsvg_rectangle *viewport, void **error);
};
struct library_cairo {
	void *(*surface_create)(int format, int width, int height);
	int (*surface_status)(void *surface);
	void (*surface_flush)(void *surface);
	unsigned char *(*surface_data)(void *surface);
	int (*surface_stride)(void *surface);
	void (*surface_destroy)(void *surface);
	void *(*create)(void *surface);
	void (*destroy)(void *cairo);
};
struct library_chafa {
	void (*set_n_threads)(int n);
	void *(*symbol_map_new)(void);
	void (*symbol_map_add_by_tags)(void *map, int tags);
	void (*symbol_map_remove_by_tags)(void *map, int tags);
	void *(*config_new)(void);
	void (*config_set_geometry)(void *config, int width, int height);
	void (*config_set_canvas_mode)(void *config, int mode);
	void (*config_set_symbol_map)(void *config, const void *map);
	void (*config_set_work_factor)(void *config, float factor);
	void (*config_set_preprocessing_enabled)(void *config, int on);
	void *(*canvas_new)(const void *config);
	void (*canvas_draw)(void *canvas, int type, const uint8_t *pixels, int width, int height, int stride);
	uint32_t (*canvas_char_at)(void *canvas, int x, int y);
	void (*canvas_raw_colors_at)(void *canvas, int x, int y, int *fg, int *bg);
};
struct library_zlib {
	unsigned long (*bound)(unsigned long n);
	int (*compress)(uint8_t *out, unsigned long *out_len, const uint8_t *bytes, unsigned long n,
			int level);
};

enum library {
	LIBRARY_PNG,
	LIBRARY_JPEG,
	LIBRARY_SVG,
	LIBRARY_CAIRO,
	LIBRARY_CHAFA,
	LIBRARY_ZLIB,
	LIBRARIES
};

/* Load a library at the first call; `ret` is its struct above. TRM_ENOTSUP with a sentence that names the
 * Debian package: it is not installed, or lacks a function. */
int library_load(enum library library, void *ret, struct trm_error *reterr);

#endif
