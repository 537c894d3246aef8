// The C libraries with which the sample draws its own window.
#pragma once
#include <cairo/cairo.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcb_keysyms.h>

// Returns the X server's reply about the extension MIT-SHM. Swift code cannot use `xcb_shm_id`, because Swift regards a
// global variable of C as shared mutable state.
static inline const xcb_query_extension_reply_t *wall_window_sharing(xcb_connection_t *connection) {
    return xcb_get_extension_data(connection, &xcb_shm_id);
}
