// X11 through XCB: the protocol, shared-memory images, RandR, window-manager hints, key symbols.
#ifndef SWIFTPLAY_CXCB_SHIM_H
#define SWIFTPLAY_CXCB_SHIM_H
#include <stdlib.h>
#include <xcb/xcb.h>
#include <xcb/shm.h>
#include <xcb/randr.h>
#include <xcb/xcb_icccm.h>
#include <xcb/xcb_keysyms.h>
#include <X11/keysym.h>

// xcb_shm_attach_fd takes over the descriptor: Swift passes a duplicate it has given up.
// Constants below are enumerators without a type, which Swift imports with a type that masks do not take.
#define CXCB_INPUT_EVENTS (XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_BUTTON_RELEASE \
    | XCB_EVENT_MASK_POINTER_MOTION | XCB_EVENT_MASK_ENTER_WINDOW | XCB_EVENT_MASK_LEAVE_WINDOW)
#define CXCB_WINDOW_EVENTS (XCB_EVENT_MASK_EXPOSURE | XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE \
    | XCB_EVENT_MASK_FOCUS_CHANGE | XCB_EVENT_MASK_VISIBILITY_CHANGE)
#endif
