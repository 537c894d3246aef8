// libpulse: the protocol of PulseAudio, which PipeWire also supports. The compositor links it; programs load it only to
// list the server's devices, because linking it would cost every program start some milliseconds.
#ifndef SWIFTPLAY_CPULSE_SHIM_H
#define SWIFTPLAY_CPULSE_SHIM_H
#include <dlfcn.h>
#include <pulse/pulseaudio.h>

// The functions of libpulse that list the server's devices.
typedef struct {
    __typeof__(&pa_mainloop_new) loop_new;
    __typeof__(&pa_mainloop_free) loop_free;
    __typeof__(&pa_mainloop_get_api) loop_api;
    __typeof__(&pa_mainloop_prepare) loop_prepare;
    __typeof__(&pa_mainloop_poll) loop_poll;
    __typeof__(&pa_mainloop_dispatch) loop_dispatch;
    __typeof__(&pa_context_new) context_new;
    __typeof__(&pa_context_connect) context_connect;
    __typeof__(&pa_context_disconnect) context_disconnect;
    __typeof__(&pa_context_unref) context_unref;
    __typeof__(&pa_context_get_state) context_state;
    __typeof__(&pa_context_get_sink_info_list) list_sinks;
    __typeof__(&pa_operation_get_state) operation_state;
    __typeof__(&pa_operation_unref) operation_unref;
} cpulse_functions;
// Loads libpulse, which is never unloaded. Returns 1, or 0 if libpulse is not available.
static inline int cpulse_load(cpulse_functions *functions) {
    void *library = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    functions->loop_new = (__typeof__(&pa_mainloop_new))dlsym(library, "pa_mainloop_new");
    functions->loop_free = (__typeof__(&pa_mainloop_free))dlsym(library, "pa_mainloop_free");
    functions->loop_api = (__typeof__(&pa_mainloop_get_api))dlsym(library, "pa_mainloop_get_api");
    functions->loop_prepare = (__typeof__(&pa_mainloop_prepare))dlsym(library, "pa_mainloop_prepare");
    functions->loop_poll = (__typeof__(&pa_mainloop_poll))dlsym(library, "pa_mainloop_poll");
    functions->loop_dispatch = (__typeof__(&pa_mainloop_dispatch))dlsym(library, "pa_mainloop_dispatch");
    functions->context_new = (__typeof__(&pa_context_new))dlsym(library, "pa_context_new");
    functions->context_connect = (__typeof__(&pa_context_connect))dlsym(library, "pa_context_connect");
    functions->context_disconnect = (__typeof__(&pa_context_disconnect))dlsym(library, "pa_context_disconnect");
    functions->context_unref = (__typeof__(&pa_context_unref))dlsym(library, "pa_context_unref");
    functions->context_state = (__typeof__(&pa_context_get_state))dlsym(library, "pa_context_get_state");
    functions->list_sinks =
        (__typeof__(&pa_context_get_sink_info_list))dlsym(library, "pa_context_get_sink_info_list");
    functions->operation_state = (__typeof__(&pa_operation_get_state))dlsym(library, "pa_operation_get_state");
    functions->operation_unref = (__typeof__(&pa_operation_unref))dlsym(library, "pa_operation_unref");
    return functions->loop_new && functions->loop_free && functions->loop_api && functions->loop_prepare
        && functions->loop_poll && functions->loop_dispatch && functions->context_new && functions->context_connect
        && functions->context_disconnect && functions->context_unref && functions->context_state
        && functions->list_sinks && functions->operation_state && functions->operation_unref;
}
#endif
