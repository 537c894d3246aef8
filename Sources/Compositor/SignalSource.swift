import SystemCalls

/// A source of signals for an event loop. Create it on the main thread before other threads start: it blocks the
/// signals.
final class SignalSource: EventSource {
    private let signals: SignalDescriptor
    /// Called on the loop's thread with the number of each signal.
    var onSignal: (Int32) -> Void = { _ in }

    init(_ numbers: [Int32]) throws(SystemCallError) { signals = try SignalDescriptor(numbers) }

    var entries: [Poll.Entry] { [Poll.Entry(signals.descriptor.raw)] }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard ready.contains(where: { $0.ready != [] }), let signal = signals.next() else { return }
        onSignal(signal)
    }
}
