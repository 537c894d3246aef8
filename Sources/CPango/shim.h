// Pango: layout of text in all scripts, with fallback fonts.
//
// The used functions are declared here: Pango's headers need a compiler flag (-pthread) that the package manager
// rejects in pkg-config files. The declarations are the same in all versions of Pango 1.
#ifndef SWIFTPLAY_CPANGO_SHIM_H
#define SWIFTPLAY_CPANGO_SHIM_H
#include <cairo/cairo.h>

typedef struct _PangoLayout PangoLayout;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct { int x, y, width, height; } PangoRectangle;

// Values of PangoWeight and PangoEllipsizeMode, and the number of Pango units per pixel.
enum { CPANGO_WEIGHT_NORMAL = 400, CPANGO_WEIGHT_BOLD = 700 };
enum { CPANGO_ELLIPSIZE_END = 3 };
enum { CPANGO_SCALE = 1024 };

PangoFontDescription *pango_font_description_new(void);
void pango_font_description_free(PangoFontDescription *description);
void pango_font_description_set_family(PangoFontDescription *description, const char *family);
void pango_font_description_set_weight(PangoFontDescription *description, int weight);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);

void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_ellipsize(PangoLayout *layout, int mode);
void pango_layout_set_single_paragraph_mode(PangoLayout *layout, int setting);
void pango_layout_get_pixel_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);

PangoLayout *pango_cairo_create_layout(cairo_t *context);
void pango_cairo_show_layout(cairo_t *context, PangoLayout *layout);
void pango_cairo_layout_path(cairo_t *context, PangoLayout *layout);

void g_object_unref(void *object);
#endif
