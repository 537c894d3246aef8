// Says which frame of a numbered clip (scripts/bench) is on screen in which window, each time that it changes.
//
// usage: watch SECONDS NAME...     NAME: a window's WM_CLASS instance; @NAME: its class
// Prints "MONOTONIC_SECONDS NAME FRAME": FRAME is -1 where no number can be read, -2 where there is no such window.
// Looks 1000 times a second at two rows of the screen, through shared memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <time.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

enum { LIMIT = 8, BITS = 16 };
static xcb_connection_t *x;
static xcb_screen_t *screen;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static int is_called(xcb_window_t window, const char *name) {
    xcb_get_property_reply_t *reply =
        xcb_get_property_reply(x, xcb_get_property(x, 0, window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 0, 64), 0);
    int hit = 0;
    if (reply) {
        int count = xcb_get_property_value_length(reply);
        const char *text = xcb_get_property_value(reply), *end = text + count;
        const char *stop = memchr(text, 0, count);
        const char *wanted = name[0] == '@' ? name + 1 : name;
        if (name[0] == '@') text = stop ? stop + 1 : end;
        size_t length = strlen(wanted);
        hit = (size_t)(end - text) >= length && !memcmp(text, wanted, length) && (text + length == end || text[length] == 0);
        free(reply);
    }
    return hit;
}

// The window's place on screen; 0 when it is not there.
static int place(xcb_window_t window, int *left, int *top, int *width, int *height) {
    xcb_get_window_attributes_cookie_t a = xcb_get_window_attributes(x, window);
    xcb_get_geometry_cookie_t g = xcb_get_geometry(x, window);
    xcb_translate_coordinates_cookie_t t = xcb_translate_coordinates(x, window, screen->root, 0, 0);
    xcb_get_window_attributes_reply_t *attributes = xcb_get_window_attributes_reply(x, a, 0);
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(x, g, 0);
    xcb_translate_coordinates_reply_t *origin = xcb_translate_coordinates_reply(x, t, 0);
    int seen = attributes && geometry && origin && attributes->map_state == XCB_MAP_STATE_VIEWABLE && geometry->width > 32;
    if (seen) *left = origin->dst_x, *top = origin->dst_y, *width = geometry->width, *height = geometry->height;
    free(attributes), free(geometry), free(origin);
    return seen;
}

// The topmost window of that name on screen; depth: window managers put frames around windows.
static xcb_window_t find(xcb_window_t parent, const char *name, int depth) {
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x, xcb_query_tree(x, parent), 0);
    if (!tree) return 0;
    xcb_window_t found = 0, *children = xcb_query_tree_children(tree);
    for (int i = xcb_query_tree_children_length(tree) - 1; i >= 0 && !found; i--) {
        int left, top, width, height;
        // A window manager gives an unmapped one back to the root, on top of all.
        if (is_called(children[i], name) && place(children[i], &left, &top, &width, &height)) found = children[i];
        else if (depth < 4) found = find(children[i], name, depth + 1);
    }
    free(tree);
    return found;
}

// The one of that name that has come with a window: itself, or what a window manager has put a frame around.
static xcb_window_t come(xcb_window_t window, const char *name) { return is_called(window, name) ? window : find(window, name, 1); }

// Whether another window lies over the rows that are read.
static int covered(xcb_window_t window, int left, int top, int width, int bottom) {
    for (;;) {
        xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x, xcb_query_tree(x, window), 0);
        if (!tree) return 0;
        xcb_window_t parent = tree->parent;
        free(tree);
        if (parent == screen->root || !parent) break;
        window = parent;
    }
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x, xcb_query_tree(x, screen->root), 0);
    if (!tree) return 0;
    int hit = 0;
    xcb_window_t *children = xcb_query_tree_children(tree);
    for (int i = xcb_query_tree_children_length(tree) - 1; i >= 0 && !hit && children[i] != window; i--) {
        int l, t, w, h;
        hit = place(children[i], &l, &t, &w, &h) && l < left + width && left < l + w && t <= bottom && top < t + h;
    }
    free(tree);
    return hit;
}

int main(int count, char **arguments) {
    if (count < 3 || count > LIMIT + 2) return 2;
    x = xcb_connect(0, 0);
    if (xcb_connection_has_error(x)) return 2;
    screen = xcb_setup_roots_iterator(xcb_get_setup(x)).data;
    int columns = screen->width_in_pixels, rows = screen->height_in_pixels, names = count - 2;
    char **name = arguments + 2;
    int memory = shmget(IPC_PRIVATE, (size_t)columns * 8, IPC_CREAT | 0600);
    unsigned *pixels = shmat(memory, 0, 0);
    xcb_shm_seg_t segment = xcb_generate_id(x);
    xcb_shm_attach(x, segment, memory, 0);
    free(xcb_get_input_focus_reply(x, xcb_get_input_focus(x), 0));
    shmctl(memory, IPC_RMID, 0);

    // To look through all windows for one that is not there takes longer than a frame is seen: what comes is looked at itself, and all of
    // them only for a moment after something came or went.
    const unsigned mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
    xcb_change_window_attributes(x, screen->root, XCB_CW_EVENT_MASK, &mask);
    double search_until = now() + 0.1;
    xcb_window_t window[LIMIT] = {0}, next[LIMIT] = {0};
    int last[LIMIT];
    for (int i = 0; i < LIMIT; i++) last[i] = -99;
    setvbuf(stdout, 0, _IOLBF, 0);
    double end = now() + atof(arguments[1]);
    for (int turn = 0; now() < end && !xcb_connection_has_error(x); turn++) {
        for (xcb_generic_event_t *event; (event = xcb_poll_for_event(x)); free(event)) {
            search_until = now() + 0.1;
            if ((event->response_type & 127) != XCB_MAP_NOTIFY) continue;
            for (int i = 0; i < names; i++) {
                xcb_window_t found = come(((xcb_map_notify_event_t *)event)->window, name[i]);
                if (found && found != window[i]) next[i] = found;
            }
        }
        int searches = turn % 4 == 0 && now() < search_until;
        for (int i = 0; i < names; i++) {
            int left, top, width, height, frame = -2;
            int seen = window[i] && place(window[i], &left, &top, &width, &height);
            if (!seen && next[i]) {
                window[i] = next[i], next[i] = 0;
                seen = place(window[i], &left, &top, &width, &height);
            }
            if (!seen && searches) {
                window[i] = find(screen->root, name[i], 0);
                seen = window[i] && place(window[i], &left, &top, &width, &height);
            }
            if (seen) {
                frame = -1;
                int y[2] = {top + height / 2, top + height * 11 / 18};
                if (left >= 0 && left + width <= columns && y[0] >= 0 && y[1] < rows) {
                    xcb_shm_get_image_cookie_t cookie[2];
                    for (int k = 0; k < 2; k++)
                        cookie[k] = xcb_shm_get_image(
                            x, screen->root, 0, y[k], columns, 1, ~0u, XCB_IMAGE_FORMAT_Z_PIXMAP, segment, k * columns * 4);
                    int got = 0;
                    for (int k = 0; k < 2; k++) {
                        xcb_shm_get_image_reply_t *reply = xcb_shm_get_image_reply(x, cookie[k], 0);
                        got += reply != 0;
                        free(reply);
                    }
                    unsigned code[2] = {0, 0};
                    for (int k = 0; k < 2; k++)
                        for (int bit = 0; bit < BITS; bit++) {
                            unsigned pixel = pixels[k * columns + left + (2 * bit + 1) * width / (2 * BITS)];
                            code[k] = code[k] << 1 | ((pixel >> 8 & 255) > 127);
                        }
                    if (got == 2 && (code[0] ^ code[1]) == 0xffff) frame = (int)code[0];
                    // What is new is looked at twice: a window on its way may have been elsewhere when the rows were read, or below another.
                    int now_left, now_top, now_width, now_height;
                    if (frame >= 0 && frame != last[i]) {
                        if (!place(window[i], &now_left, &now_top, &now_width, &now_height)) continue;
                        if (now_left != left || now_top != top || now_width != width || now_height != height) continue;
                        if (covered(window[i], left, y[0], width, y[1])) frame = -1;
                    }
                }
            }
            if (frame != last[i]) printf("%.6f %s %d\n", now(), name[i], last[i] = frame);
        }
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, 0);
    }
    return 0;
}
