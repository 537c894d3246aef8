import CGTK

/// A pointer to a widget, as most functions of GTK return it.
typealias Widget = UnsafeMutablePointer<GtkWidget>

/// A closure that a signal of GTK calls.
private final class SignalHandler {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// Returns the pointer as a pointer to a subclass of GtkWidget whose structure GTK's headers define.
    func cast<Subclass>(to type: Subclass.Type = Subclass.self) -> UnsafeMutablePointer<Subclass> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    /// Calls `body` on the main thread whenever the widget emits `signal`, which must have no parameters and no result.
    @MainActor func onSignal(_ signal: String, _ body: @escaping @MainActor () -> Void) {
        connectSignal(of: UnsafeMutableRawPointer(self), signal, body)
    }
}

/// Calls `body` on the main thread whenever `object` emits `signal`, which must have no parameters and no result.
@MainActor func connectSignal(
    of object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
) {
    let callback: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
        guard let data else { return }
        // GTK emits signals on the thread that runs its main loop. That thread runs the main queue too.
        MainActor.assumeIsolated { Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().body() }
    }
    connectSignal(of: object, signal, unsafeBitCast(callback, to: GCallback.self), SignalHandler(body))
}

/// Connects a C function to a signal. Its last argument is an unretained pointer to `owner`, which the connection
/// retains.
@MainActor func connectSignal(
    of object: UnsafeMutableRawPointer, _ signal: String, _ callback: GCallback, _ owner: AnyObject
) {
    g_signal_connect_data(
        object, signal, callback, Unmanaged.passRetained(owner).toOpaque(),
        { data, _ in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } }, GConnectFlags(rawValue: 0))
}
