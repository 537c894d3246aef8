import CPulse
import SystemCalls

/// One visit at the sound server, PulseAudio or PipeWire in its place, that ends the streams of some processes there. One thread's.
final class SoundServerVisit {
    private let loop: OpaquePointer
    private let context: OpaquePointer
    private let processes: Set<Int32>
    private var isListed = false
    /// Orders to end a stream that are not answered yet.
    private var orders: [OpaquePointer] = []
    /// Whose streams it ended.
    private(set) var ended: Set<Int32> = []

    /// - Returns: nil when there is no memory.
    init?(processes: Set<Int32>) {
        guard let loop = pa_mainloop_new() else { return nil }
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "swiftplay-compositor") else {
            pa_mainloop_free(loop)
            return nil
        }
        (self.loop, self.context, self.processes) = (loop, context, processes)
    }

    deinit {
        for order in orders { pa_operation_unref(order) }
        pa_context_disconnect(context)
        pa_context_unref(context)
        pa_mainloop_free(loop)
    }

    /// - Parameter deadline: host time at which it gives up.
    /// - Returns: false when there is no sound server, or it did not answer in time.
    func run(until deadline: Int64) -> Bool {
        guard pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { return false }
        while pa_context_get_state(context) != PA_CONTEXT_READY { guard proceed(until: deadline) else { return false } }
        let list = pa_context_get_sink_input_info_list(context, { _, stream, end, visit in
            guard let visit else { return }
            // Alive: it waits in `run` for what is called back.
            Unmanaged<SoundServerVisit>.fromOpaque(visit).takeUnretainedValue().look(at: stream?.pointee, isLast: end != 0)
        }, Unmanaged.passUnretained(self).toOpaque())
        guard let list else { return false }
        defer { pa_operation_unref(list) }
        while !isListed || orders.contains(where: { pa_operation_get_state($0) == PA_OPERATION_RUNNING }) {
            guard proceed(until: deadline) else {
                pa_operation_cancel(list)
                return false
            }
        }
        return true
    }

    private func look(at stream: pa_sink_input_info?, isLast: Bool) {
        if isLast { isListed = true }
        guard let stream, let text = pa_proplist_gets(stream.proplist, PA_PROP_APPLICATION_PROCESS_ID), let process = Int32(String(cString: text)),
            processes.contains(process), let order = pa_context_kill_sink_input(context, stream.index, nil, nil)
        else { return }
        orders.append(order)
        ended.insert(process)
    }

    /// Waits for the next thing to happen and deals with it.
    private func proceed(until deadline: Int64) -> Bool {
        let left = (deadline - MonotonicTime.now) / 1000
        guard left > 0, pa_mainloop_prepare(loop, Int32(clamping: left)) >= 0, pa_mainloop_poll(loop) >= 0, pa_mainloop_dispatch(loop) >= 0 else { return false }
        return PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0
    }
}
