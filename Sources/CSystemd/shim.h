// sd-bus: D-Bus without its own main loop. Swift imports everything that is used except macros and variadic functions.
#ifndef SWIFTPLAY_CSYSTEMD_SHIM_H
#define SWIFTPLAY_CSYSTEMD_SHIM_H
#include <systemd/sd-bus.h>

// sd-bus offers vtable entries only as initialiser macros. `names` contains the names of the arguments and then the
// names of the results, each with its terminating zero.

static inline void csystemd_vtable_start(sd_bus_vtable *entry) { *entry = (sd_bus_vtable)SD_BUS_VTABLE_START(0); }

static inline void csystemd_vtable_end(sd_bus_vtable *entry) { *entry = (sd_bus_vtable)SD_BUS_VTABLE_END; }

static inline void csystemd_vtable_method(
    sd_bus_vtable *entry, const char *member, const char *arguments, const char *results, const char *names,
    sd_bus_message_handler_t handler) {
    *entry = (sd_bus_vtable)SD_BUS_METHOD_WITH_NAMES(
        member, arguments, names, results, , handler, SD_BUS_VTABLE_UNPRIVILEGED);
}

static inline void csystemd_vtable_signal(
    sd_bus_vtable *entry, const char *member, const char *arguments, const char *names) {
    *entry = (sd_bus_vtable)SD_BUS_SIGNAL_WITH_NAMES(member, arguments, names, 0);
}

// If `set` is NULL, the property is read-only.
static inline void csystemd_vtable_property(
    sd_bus_vtable *entry, const char *member, const char *type, sd_bus_property_get_t get, sd_bus_property_set_t set,
    int announces_changes) {
    uint64_t flags = announces_changes ? SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE : 0;
    if (set)
        *entry = (sd_bus_vtable)SD_BUS_WRITABLE_PROPERTY(member, type, get, set, 0, flags | SD_BUS_VTABLE_UNPRIVILEGED);
    else
        *entry = (sd_bus_vtable)SD_BUS_PROPERTY(member, type, get, 0, flags);
}
#endif
