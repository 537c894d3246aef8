// Prints the frame number of a numbered clip (scripts/lib/make-numbered-clips) in each window whenever it changes.
//
// usage: watch SCREEN SECONDS NAME...     SCREEN: the file of Xvfb's frame buffer (-fbdir)
//                                         NAME: a window's WM_CLASS instance; @NAME: its class. Name windows in
//                                         stacking order, the lowest first.
// Prints "MONOTONIC_SECONDS NAME FRAME". FRAME is -1 if no number can be read, -2 if the window does not exist, and -3
// if the area of the number has one colour, which neither a number nor a half-drawn picture has.
//
// The program reads the pictures 2000 times a second from the server's memory, so that reading neither loads the server
// nor waits for it. It requests only window positions from the server, and polls for the replies. It requests real-time
// priority and runs without it if the request fails.
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <arpa/inet.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

enum { WINDOWS = 1024, NAMES = 8, PLACES = 6, BITS = 16, NONE = -2, UNREADABLE = -1, EMPTY = -3 };

struct place { int left, top, width, height; double since; };
struct window {
    xcb_window_t id;
    int name;                           // index in `names`; -1: class unknown or not in `names`
    int mapped;                         // as of the last event or reply
    int place_pending, class_pending;   // whether a request awaits its reply
    struct place places[PLACES];        // newest first
    xcb_get_property_cookie_t class;
    xcb_get_window_attributes_cookie_t attributes;
    xcb_get_geometry_cookie_t geometry;
    xcb_translate_coordinates_cookie_t origin;
};

static xcb_connection_t *x;
static xcb_screen_t *screen;
static struct window windows[WINDOWS];
static int window_count;                // includes dozens of windows of a window manager
static char **names;
static int name_count;
static const unsigned *pixels;
static int columns, rows, stride;       // the stride in pixels

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

// Maps the frame buffer, which is an XWD file. Its header consists of big-endian words: header length, ..., width,
// height, ..., bytes per line, ..., number of colour entries of 12 bytes.
static int map_screen(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) || status.st_size < 100) return 0;
    const uint32_t *header = mmap(0, status.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (header == MAP_FAILED) return 0;
    size_t start = ntohl(header[0]) + 12 * (size_t)ntohl(header[19]);
    columns = ntohl(header[4]), rows = ntohl(header[5]), stride = ntohl(header[12]) / 4;
    pixels = (const unsigned *)((const char *)header + start);
    return start + (size_t)stride * 4 * rows <= (size_t)status.st_size && ntohl(header[11]) == 32;
}

static struct window *find(xcb_window_t id) {
    for (int i = 0; i < window_count; i++)
        if (windows[i].id == id) return &windows[i];
    return id || window_count == WINDOWS ? 0 : &windows[window_count++];
}

static struct window *track(xcb_window_t id) {
    struct window *window = find(id);
    if (!window && (window = find(0))) {
        *window = (struct window){.id = id, .name = -1};
        const unsigned events = XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE;
        xcb_change_window_attributes(x, id, XCB_CW_EVENT_MASK, &events);
    }
    return window;
}

static void move(struct window *window, int left, int top, int width, int height) {
    struct place *newest = window->places;
    if (newest->left == left && newest->top == top && newest->width == width && newest->height == height) return;
    memmove(newest + 1, newest, (PLACES - 1) * sizeof *newest);
    *newest = (struct place){left, top, width, height, now()};
}

static void request_class(struct window *window) {
    if (window->class_pending) return;
    window->class = xcb_get_property(x, 0, window->id, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 0, 64);
    window->class_pending = 1;
}

static void request_place(struct window *window) {
    window->attributes = xcb_get_window_attributes(x, window->id);
    window->geometry = xcb_get_geometry(x, window->id);
    window->origin = xcb_translate_coordinates(x, window->id, screen->root, 0, 0);
    window->place_pending = 1;
}

static int name_of(xcb_get_property_reply_t *reply) {
    int count = xcb_get_property_value_length(reply);
    const char *text = xcb_get_property_value(reply), *end = text + count, *stop = memchr(text, 0, count);
    for (int i = 0; i < name_count; i++) {
        int is_class = names[i][0] == '@';
        const char *wanted = names[i] + is_class, *from = is_class ? (stop ? stop + 1 : end) : text;
        size_t length = strlen(wanted);
        int begins = (size_t)(end - from) >= length && !memcmp(from, wanted, length);
        if (begins && (from + length == end || from[length] == 0)) return i;
    }
    return -1;
}

// Returns 1 if the reply has arrived, with the reply in *reply (0 if the window no longer exists).
static int poll_reply(unsigned sequence, void **reply) {
    xcb_generic_error_t *error = 0;
    *reply = 0;
    int arrived = xcb_poll_for_reply(x, sequence, reply, &error);
    free(error);
    return arrived;
}

static void handle_replies(struct window *window) {
    void *reply, *geometry = 0, *origin = 0;
    if (window->class_pending && poll_reply(window->class.sequence, &reply)) {
        window->class_pending = 0;
        if (reply) window->name = name_of(reply);
        free(reply);
    }
    // Replies arrive in order: with the last reply, the earlier replies have arrived too.
    if (!window->place_pending || !poll_reply(window->origin.sequence, &origin)) return;
    window->place_pending = 0;
    poll_reply(window->geometry.sequence, &geometry);
    poll_reply(window->attributes.sequence, &reply);
    if (reply && geometry && origin) {
        xcb_get_geometry_reply_t *size = geometry;
        xcb_translate_coordinates_reply_t *corner = origin;
        window->mapped = ((xcb_get_window_attributes_reply_t *)reply)->map_state == XCB_MAP_STATE_VIEWABLE;
        move(window, corner->dst_x, corner->dst_y, size->width, size->height);
    }
    free(reply), free(geometry), free(origin);
}

static void handle_event(xcb_generic_event_t *event) {
    struct window *window;
    switch (event->response_type & 127) {
    case XCB_CREATE_NOTIFY: track(((xcb_create_notify_event_t *)event)->window); break;
    case XCB_PROPERTY_NOTIFY:
        // Clients set WM_CLASS before they map the window.
        if (((xcb_property_notify_event_t *)event)->atom != XCB_ATOM_WM_CLASS) break;
        if ((window = find(((xcb_property_notify_event_t *)event)->window))) request_class(window);
        break;
    case XCB_MAP_NOTIFY:
        if (!(window = find(((xcb_map_notify_event_t *)event)->window))) break;
        if (window->name < 0) request_class(window);
        window->mapped = 1;
        break;
    case XCB_UNMAP_NOTIFY:
        if ((window = find(((xcb_unmap_notify_event_t *)event)->window))) window->mapped = 0;
        break;
    case XCB_DESTROY_NOTIFY:
        if (!(window = find(((xcb_destroy_notify_event_t *)event)->window))) break;
        if (window->class_pending) xcb_discard_reply(x, window->class.sequence);
        if (window->place_pending) {
            xcb_discard_reply(x, window->attributes.sequence);
            xcb_discard_reply(x, window->geometry.sequence);
            xcb_discard_reply(x, window->origin.sequence);
        }
        *window = (struct window){0};
        break;
    case XCB_CONFIGURE_NOTIFY: {
        // The position is relative to the screen if the window is a child of the root, or if a window manager sent the
        // event (ICCCM 4.1.5).
        xcb_configure_notify_event_t *change = (void *)event;
        if ((change->event == screen->root || change->response_type & 128) && (window = find(change->window)))
            move(window, change->x, change->y, change->width, change->height);
    }
    }
}

// Tracks the existing windows, up to a depth of 3, because window managers reparent windows into frames.
static void track_existing(xcb_window_t parent, int depth) {
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x, xcb_query_tree(x, parent), 0);
    if (!tree) return;
    xcb_window_t *children = xcb_query_tree_children(tree);
    for (int i = 0; i < xcb_query_tree_children_length(tree); i++) {
        struct window *window = track(children[i]);
        if (window) request_class(window), request_place(window);
        if (depth < 3) track_existing(children[i], depth + 1);
    }
    free(tree);
}

// Returns the frame number of the picture at a place, UNREADABLE or EMPTY. Both edges of each bit must agree, and the
// second row must hold the complement, so that an outdated window position does not yield a wrong number.
static int read_number(const struct place *place) {
    int y[2] = {place->top + place->height / 2, place->top + place->height * 11 / 18};
    int is_inside = place->left >= 0 && place->left + place->width <= columns && y[0] >= 0 && y[1] < rows;
    if (place->width <= 32 || !is_inside) return UNREADABLE;
    int code = 0, is_empty = 1, is_readable = 1;
    unsigned first = pixels[(size_t)y[0] * stride + place->left + place->width / 5 / BITS];
    for (int bit = 0; bit < BITS; bit++) {
        int from = place->left + (10 * bit + 2) * place->width / (10 * BITS);
        int to = place->left + (10 * bit + 8) * place->width / (10 * BITS);
        const unsigned *row = pixels + (size_t)y[0] * stride, *opposite = pixels + (size_t)y[1] * stride;
        int light = (row[from] >> 8 & 255) > 127;
        if (light != ((row[to] >> 8 & 255) > 127)) is_readable = 0;
        if (light == ((opposite[from] >> 8 & 255) > 127) || light == ((opposite[to] >> 8 & 255) > 127)) is_readable = 0;
        if (row[from] != first || row[to] != first || opposite[from] != first || opposite[to] != first) is_empty = 0;
        code = code << 1 | light;
    }
    return is_readable ? code : is_empty ? EMPTY : UNREADABLE;
}

// Returns whether a higher window covers the rows with the number.
static int is_covered(int name, const struct place *place) {
    int top = place->top + place->height / 2, bottom = place->top + place->height * 11 / 18;
    for (int i = 0; i < window_count; i++) {
        const struct place *over = windows[i].places;
        if (windows[i].id && windows[i].name > name && windows[i].mapped && over->left < place->left + place->width
            && place->left < over->left + over->width && over->top <= bottom && top < over->top + over->height)
            return 1;
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count < 4 || count > NAMES + 3) return 2;
    x = xcb_connect(0, 0);
    if (xcb_connection_has_error(x) || !map_screen(arguments[1])) {
        fprintf(stderr, "watch: cannot connect to the X server, or cannot map its frame buffer %s\n", arguments[1]);
        return 2;
    }
    screen = xcb_setup_roots_iterator(xcb_get_setup(x)).data;
    names = arguments + 3, name_count = count - 3;
    xcb_change_window_attributes(x, screen->root, XCB_CW_EVENT_MASK, &(unsigned){XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY});
    track_existing(screen->root, 0);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});

    int last[NAMES], doubtful[NAMES] = {0}, times[NAMES] = {0}, newest = -1;
    double since[NAMES] = {0};
    for (int i = 0; i < NAMES; i++) last[i] = -99;
    setvbuf(stdout, 0, _IOLBF, 0);
    double end = now() + atof(arguments[2]);
    for (unsigned turn = 0; now() < end && !xcb_connection_has_error(x); turn++) {
        for (xcb_generic_event_t *event; (event = xcb_poll_for_event(x)); free(event)) handle_event(event);
        double time = now();
        int frame[NAMES], is_certain[NAMES] = {0};
        for (int i = 0; i < name_count; i++) frame[i] = NONE;
        for (int i = 0; i < window_count; i++) {
            struct window *window = &windows[i];
            if (!window->id) continue;
            handle_replies(window);
            int name = window->name;
            if (name < 0) continue;
            if (!window->place_pending && turn % 4 == 0) request_place(window);
            if (!window->mapped) continue;
            if (frame[name] == NONE) frame[name] = UNREADABLE;
            // While a window moves, the known position may be newer or older than the picture in the frame buffer.
            // Therefore the positions of the last 0.1 s are tried, too.
            for (int k = 0; k < PLACES && !is_certain[name]; k++) {
                if (k > 0 && time - window->places[k - 1].since > 0.1) break;
                int number = is_covered(name, &window->places[k]) ? UNREADABLE : read_number(&window->places[k]);
                if (number == EMPTY && k == 0) frame[name] = EMPTY;
                if (number < 0) continue;
                is_certain[name] = number >= newest && number <= newest + 8;
                if (is_certain[name] || k == 0) frame[name] = number;
            }
        }
        xcb_flush(x);
        for (int i = 0; i < name_count; i++) {
            if (frame[i] == last[i]) { times[i] = 0; continue; }
            // An unexpected number may come from a read during an update. It counts only after repeated reads: 12, or 3
            // if there is no number or the number goes back a little.
            double first = time;
            if (!is_certain[i]) {
                if (!times[i] || doubtful[i] != frame[i]) times[i] = 0, doubtful[i] = frame[i], since[i] = time;
                int is_step_back = frame[i] >= 0 && frame[i] < newest && frame[i] > newest - 30;
                if (++times[i] < (frame[i] < 0 || is_step_back ? 3 : 12)) continue;
                first = since[i];
            }
            times[i] = 0;
            if (frame[i] >= 0) newest = frame[i];
            printf("%.6f %s %d\n", first, names[i], last[i] = frame[i]);
        }
        struct timespec pause = {0, 500000};
        nanosleep(&pause, 0);
    }
    return 0;
}
