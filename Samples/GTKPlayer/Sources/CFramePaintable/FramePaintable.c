#include "FramePaintable.h"

struct _FramePaintable {
    GObject parent;
    // The frame on screen; NULL before the first frame.
    GdkTexture *texture;
    // The size of the film in square pixels; 0 before the first frame.
    int width, height;
};

static void frame_paintable_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    FramePaintable *self = FRAME_PAINTABLE(paintable);
    if (self->texture == NULL) return;
    gtk_snapshot_append_texture(
        GTK_SNAPSHOT(snapshot), self->texture, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
}

static int frame_paintable_get_intrinsic_width(GdkPaintable *paintable) { return FRAME_PAINTABLE(paintable)->width; }
static int frame_paintable_get_intrinsic_height(GdkPaintable *paintable) { return FRAME_PAINTABLE(paintable)->height; }

static void frame_paintable_init_interface(GdkPaintableInterface *interface) {
    interface->snapshot = frame_paintable_snapshot;
    interface->get_intrinsic_width = frame_paintable_get_intrinsic_width;
    interface->get_intrinsic_height = frame_paintable_get_intrinsic_height;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(
    FramePaintable, frame_paintable, G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, frame_paintable_init_interface))

static void frame_paintable_dispose(GObject *object) {
    g_clear_object(&FRAME_PAINTABLE(object)->texture);
    G_OBJECT_CLASS(frame_paintable_parent_class)->dispose(object);
}

static void frame_paintable_class_init(FramePaintableClass *class) {
    G_OBJECT_CLASS(class)->dispose = frame_paintable_dispose;
}

static void frame_paintable_init(FramePaintable *self) { (void)self; }

GdkPaintable *frame_paintable_new(void) { return GDK_PAINTABLE(g_object_new(FRAME_TYPE_PAINTABLE, NULL)); }

void frame_paintable_show(GdkPaintable *paintable, GdkTexture *texture, int width, int height) {
    FramePaintable *self = FRAME_PAINTABLE(paintable);
    g_set_object(&self->texture, texture);
    gboolean changes_size = self->width != width || self->height != height;
    self->width = width;
    self->height = height;
    if (changes_size) gdk_paintable_invalidate_size(paintable);
    gdk_paintable_invalidate_contents(paintable);
}
