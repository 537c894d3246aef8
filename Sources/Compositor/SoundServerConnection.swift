import CPulse
import SystemCalls

/// A connection to the sound server (PulseAudio, or PipeWire in its place) for a few requests with a common deadline.
///
/// Use it only on the thread that created it. The connection closes when this object is released.
final class SoundServerConnection {
    /// The PulseAudio context, for requests.
    let context: OpaquePointer
    /// The PulseAudio main loop, which sends and receives only while this object waits.
    private let loop: OpaquePointer
    /// The host time after which every wait for the server fails.
    private let deadline: Int64
    /// Returns whether all waits for the server must fail.
    private let isCancelled: () -> Bool
    /// The longest time between two calls of ``isCancelled`` during a wait, in nanoseconds.
    private static let cancellationCheckInterval: Int64 = 50_000_000

    /// Connects to the sound server. Returns `nil` if there is no sound server, or it does not answer in time.
    ///
    /// - Parameters:
    ///   - deadline: The host time at which every wait fails.
    ///   - isCancelled: Called on the waiting thread; waits fail after it returns true.
    init?(until deadline: Int64, isCancelled: @escaping () -> Bool = { false }) {
        guard let loop = pa_mainloop_new() else { return nil }
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "swiftplay-compositor") else {
            pa_mainloop_free(loop)
            return nil
        }
        (self.loop, self.context, self.deadline, self.isCancelled) = (loop, context, deadline, isCancelled)
        guard pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0,
            wait({ pa_context_get_state(context) == PA_CONTEXT_READY })
        else { return nil }
    }

    /// Closes the connection.
    deinit {
        pa_context_disconnect(context)
        pa_context_unref(context)
        pa_mainloop_free(loop)
    }

    /// Handles events of the server until `isDone` returns true.
    ///
    /// - Parameters:
    ///   - endTime: The host time at which this wait ends, if that is before the connection's deadline.
    ///   - isDone: Called on the waiting thread before each wait for an event; true ends this method.
    /// - Returns: False if the time is up, the wait was cancelled, or the connection was lost.
    func wait(until endTime: Int64 = .max, _ isDone: () -> Bool) -> Bool {
        while !isDone() {
            let now = MonotonicTime.now
            let microseconds = (min(endTime, deadline, now + Self.cancellationCheckInterval) - now) / 1000
            guard microseconds > 0, !isCancelled(), pa_mainloop_prepare(loop, Int32(clamping: microseconds)) >= 0,
                pa_mainloop_poll(loop) >= 0, pa_mainloop_dispatch(loop) >= 0,
                PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0
            else { return false }
        }
        return true
    }

    /// Waits until a PulseAudio operation is done, and releases it. Cancels an operation that is not done in time.
    ///
    /// - Returns: False if `operation` is `nil` or is not done in time.
    func waitUntilDone(_ operation: OpaquePointer?) -> Bool {
        guard let operation else { return false }
        defer { pa_operation_unref(operation) }
        let isDone = wait { pa_operation_get_state(operation) != PA_OPERATION_RUNNING }
        if !isDone { pa_operation_cancel(operation) }
        return isDone
    }

    /// A playback stream at the sound server.
    struct Stream {
        /// The server's number of the stream.
        var index: UInt32
        /// The process ID that the stream reports.
        var processID: Int32
        /// Whether the stream is corked (paused) or muted at the server, so that it is inaudible.
        var isSilent: Bool
    }

    /// Returns the playback streams that report a process ID; `nil` if the server does not answer in time. Waits for
    /// the server.
    func streams() -> [Stream]? {
        final class StreamList { var streams: [Stream] = [] }
        let list = StreamList()
        // `list` outlives the operation: `waitUntilDone` completes or cancels it.
        let operation = pa_context_get_sink_input_info_list(
            context,
            { _, stream, _, list in
                guard let list, let stream = stream?.pointee,
                    let processIDText = pa_proplist_gets(stream.proplist, PA_PROP_APPLICATION_PROCESS_ID),
                    let processID = Int32(String(cString: processIDText))
                else { return }
                Unmanaged<StreamList>.fromOpaque(list).takeUnretainedValue().streams.append(
                    Stream(index: stream.index, processID: processID, isSilent: stream.corked != 0 || stream.mute != 0))
            }, Unmanaged.passUnretained(list).toOpaque())
        return withExtendedLifetime(list) { waitUntilDone(operation) ? list.streams : nil }
    }
}
