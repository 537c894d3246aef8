/// An event source for Unix signals. Its initialiser blocks the signals in the calling thread: create it on the main
/// thread before other threads start.
package final class SignalSource: EventSource {
    /// Receives the blocked signals.
    private let signals: SignalDescriptor
    /// Called on the loop's thread with the number of each received signal.
    package var onSignal: (Int32) -> Void = { _ in }

    /// Blocks the signals `numbers` and receives them through a descriptor.
    package init(_ numbers: [Int32]) throws(SystemCallError) { signals = try SignalDescriptor(numbers) }

    /// The descriptor that becomes readable when a signal arrives.
    package var entries: [Poll.Entry] { [Poll.Entry(signals.descriptor.raw)] }

    /// Passes a received signal to ``onSignal``.
    package func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard ready.contains(where: { $0.isReady }), let signal = signals.next() else { return }
        onSignal(signal)
    }
}
