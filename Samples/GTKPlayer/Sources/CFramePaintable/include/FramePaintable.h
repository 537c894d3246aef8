// A GdkPaintable whose contents are the newest frame of a film. It is written in C because Swift cannot define a class
// of GObject.
#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define FRAME_TYPE_PAINTABLE (frame_paintable_get_type())
G_DECLARE_FINAL_TYPE(FramePaintable, frame_paintable, FRAME, PAINTABLE, GObject)

// Returns a paintable without a frame, which draws nothing. The caller owns the reference.
GdkPaintable *frame_paintable_new(void);

// Shows a frame, and retains its texture until the next frame. `width` and `height` are the size of the film in square
// pixels, from which widgets derive the shape of the picture; the texture may be smaller.
void frame_paintable_show(GdkPaintable *paintable, GdkTexture *texture, int width, int height);

G_END_DECLS
