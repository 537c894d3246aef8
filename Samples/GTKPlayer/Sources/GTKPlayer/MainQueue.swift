import CGTK
import Dispatch
import Glibc

/// Returns the event descriptor that Dispatch signals when the main queue has work. No header declares the function;
/// Foundation's run loop uses it too.
@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueDescriptor() -> CInt

/// Runs the pending work of the main queue. Call it on the main thread.
@_silgen_name("_dispatch_main_queue_callback_4CF")
private func runMainQueue(_ message: UnsafeMutableRawPointer?)

/// Makes GLib's main loop run the main queue, on which the main actor and SwiftPlay's observers run. Call it on the
/// main thread before the loop runs.
func attachMainQueueToGLib() {
    g_unix_fd_add(
        mainQueueDescriptor(), G_IO_IN,
        { descriptor, _, _ in
            var count: UInt64 = 0
            read(descriptor, &count, MemoryLayout.size(ofValue: count))
            runMainQueue(nil)
            return gboolean(1) // G_SOURCE_CONTINUE
        }, nil)
}
