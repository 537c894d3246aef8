import SystemCalls

/// What any thread leaves for the server's thread.
final class IPCMailbox: Sendable {
    struct Contents: Sendable {
        var events: [IPCEvent] = []
        /// Events came that there was no room for.
        var lostEvents = false
        var changedProperties: Set<String> = []
        var anyPropertyChanged = false
        var isClosing = false
    }

    private struct State {
        var contents = Contents()
        /// The thread was woken and has not looked yet: waking it again would be a system call for nothing.
        var isSignalled = false
    }

    /// More names than this count as "any".
    private static let nameLimit = 256
    private let state = Monitor(State())
    private let wake: EventDescriptor
    private let eventLimit: Int

    init(eventLimit: Int) throws(SystemCallError) {
        self.eventLimit = eventLimit
        wake = try EventDescriptor()
    }

    /// Readable when there is something to take.
    var descriptor: Int32 { wake.raw }

    func post(_ event: IPCEvent) {
        change { [eventLimit] contents in
            if contents.events.count < eventLimit { contents.events.append(event) } else { contents.lostEvents = true }
        }
    }

    /// Notes a change of a property; nil means any.
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

    /// Everything left so far, by the server's thread. That the server is closing stays.
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
