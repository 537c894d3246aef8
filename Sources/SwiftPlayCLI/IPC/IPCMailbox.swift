import SystemCalls

/// The thread-safe queue of events and property changes for the server's thread.
final class IPCMailbox: Sendable {
    struct Contents: Sendable {
        var events: [IPCEvent] = []
        /// True if events were dropped because the queue was full.
        var lostEvents = false
        var changedProperties: Set<String> = []
        var anyPropertyChanged = false
        var isClosing = false
    }

    private struct State {
        var contents = Contents()
        /// True from waking the server's thread until ``take()``; avoids a redundant system call.
        var isSignalled = false
    }

    /// The largest number of recorded property names. A further change marks all properties.
    private static let nameLimit = 256
    private let state = Monitor(State())
    private let wake: EventDescriptor
    private let eventLimit: Int

    init(eventLimit: Int) throws(SystemCallError) {
        self.eventLimit = eventLimit
        wake = try EventDescriptor()
    }

    /// The descriptor that becomes readable when the mailbox has contents.
    var descriptor: Int32 { wake.raw }

    func post(_ event: IPCEvent) {
        change { [eventLimit] contents in
            if contents.events.count < eventLimit { contents.events.append(event) } else { contents.lostEvents = true }
        }
    }

    /// Records that a property may have changed; nil records all properties.
    func postChange(of property: String?) {
        change { contents in
            if let property, contents.changedProperties.count < Self.nameLimit {
                contents.changedProperties.insert(property)
            } else {
                contents.anyPropertyChanged = true
            }
        }
    }

    func close() { change { $0.isClosing = true } }

    /// Returns and removes the contents, except `isClosing`, which stays set. Called by the server's thread.
    func take() -> Contents {
        wake.drain()
        return state.withLock { state in
            let contents = state.contents
            state = State()
            state.contents.isClosing = contents.isClosing
            return contents
        }
    }

    private func change(_ body: (inout Contents) -> Void) {
        let mustWake = state.withLock { state in
            body(&state.contents)
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if mustWake { wake.signal() }
    }
}
