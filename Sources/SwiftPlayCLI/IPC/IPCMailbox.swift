import SystemCalls

/// The thread-safe queue of events and property changes that the IPC server's thread must send to its clients.
final class IPCMailbox: Sendable {
    /// The events and property changes in the mailbox.
    struct Contents: Sendable {
        var events: [IPCEvent] = []
        /// Whether events were dropped because the queue was full.
        var didOverflow = false
        /// The names of the properties that may have changed.
        var changedProperties: Set<String> = []
        /// Whether any property may have changed.
        var anyPropertyChanged = false
        /// Whether playback has advanced, which changes properties such as the position.
        var hasPlaybackAdvanced = false
        /// Whether the server must close.
        var shouldClose = false
    }

    /// The contents of the mailbox, and whether the server's thread was woken to read them.
    private struct State {
        var contents = Contents()
        /// Whether a client observes properties that change while a file plays.
        var isPlaybackObserved = false
        /// Whether the server's thread was woken after the last ``takeContents()``, so that no further wake-up is
        /// necessary.
        var isSignalled = false
    }

    /// The largest number of property names in the mailbox. A further changed property marks all properties as changed.
    private static let nameLimit = 256
    /// The contents of the mailbox, which all threads share.
    private let state = Monitor(State())
    /// Wakes the server's thread.
    private let wakeEvent: EventDescriptor
    /// The largest number of queued events.
    private let eventLimit: Int

    /// Creates an empty mailbox.
    init(eventLimit: Int) throws(SystemCallError) {
        self.eventLimit = eventLimit
        wakeEvent = try EventDescriptor()
    }

    /// The descriptor that becomes readable when the mailbox has contents.
    var descriptor: Int32 { wakeEvent.raw }

    /// Adds an event to the mailbox, or records that an event was dropped because the mailbox is full.
    func post(_ event: IPCEvent) {
        changeContents { [eventLimit] contents in
            if contents.events.count < eventLimit { contents.events.append(event) } else { contents.didOverflow = true }
        }
    }

    /// Records that a property may have changed; nil records that any property may have changed.
    func postChange(of property: String?) {
        changeContents { contents in
            if let property, contents.changedProperties.count < Self.nameLimit {
                contents.changedProperties.insert(property)
            } else {
                contents.anyPropertyChanged = true
            }
        }
    }

    /// Records that playback has advanced. Has no effect while no client observes it, so that frames do not wake the
    /// server's thread.
    func postPlaybackAdvance() {
        changeState { state in
            guard state.isPlaybackObserved else { return false }
            state.contents.hasPlaybackAdvanced = true
            return true
        }
    }

    /// Sets whether a client observes properties that change while a file plays. Called by the server's thread before
    /// it reads these properties for a new observer.
    func setPlaybackObserved(_ isObserved: Bool) { state.withLock { $0.isPlaybackObserved = isObserved } }

    /// Requests that the server's thread close the server.
    func close() { changeContents { $0.shouldClose = true } }

    /// Returns the contents of the mailbox and empties it, except `shouldClose`, which stays set. Called by the
    /// server's thread.
    func takeContents() -> Contents {
        wakeEvent.drain()
        return state.withLock { state in
            let contents = state.contents
            state.contents = Contents()
            state.contents.shouldClose = contents.shouldClose
            state.isSignalled = false
            return contents
        }
    }

    /// Changes the contents of the mailbox and wakes the server's thread if necessary.
    private func changeContents(_ body: (inout Contents) -> Void) {
        changeState { state in
            body(&state.contents)
            return true
        }
    }

    /// Changes the state, and wakes the server's thread if `body` returns true and the thread was not woken yet.
    private func changeState(_ body: (inout State) -> Bool) {
        let mustWake = state.withLock { state in
            guard body(&state), !state.isSignalled else { return false }
            state.isSignalled = true
            return true
        }
        if mustWake { wakeEvent.signal() }
    }
}
