// XCB: the X11 protocol, shared-memory images, RandR, Present, the screensaver, window-manager hints, key symbols.
#ifndef SWIFTPLAY_CXCB_SHIM_H
#define SWIFTPLAY_CXCB_SHIM_H
#include <stdlib.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/shm.h>
#include <xcb/randr.h>
#include <xcb/present.h>
#include <xcb/shape.h>
#include <xcb/screensaver.h>
#include <xcb/xcb_icccm.h>
#include <xcb/xcb_ewmh.h>
#include <xcb/xcb_keysyms.h>
#include <X11/keysym.h>

// An extension's identifier is a mutable global variable, and Swift 6 does not permit access to such variables.
static inline xcb_extension_t *cxcb_shm_extension(void) { return &xcb_shm_id; }
static inline xcb_extension_t *cxcb_present_extension(void) { return &xcb_present_id; }
static inline xcb_extension_t *cxcb_shape_extension(void) { return &xcb_shape_id; }
static inline xcb_extension_t *cxcb_screensaver_extension(void) { return &xcb_screensaver_id; }
static inline xcb_extension_t *cxcb_randr_extension(void) { return &xcb_randr_id; }
// The masks combine enumerators with |, which Swift cannot evaluate at compile time.
static const uint32_t cxcb_input_events = XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_BUTTON_PRESS
    | XCB_EVENT_MASK_BUTTON_RELEASE | XCB_EVENT_MASK_POINTER_MOTION | XCB_EVENT_MASK_ENTER_WINDOW
    | XCB_EVENT_MASK_LEAVE_WINDOW;
static const uint32_t cxcb_window_events = XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY
    | XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_FOCUS_CHANGE | XCB_EVENT_MASK_VISIBILITY_CHANGE;
static const uint32_t cxcb_root_events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY
    | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
#endif
