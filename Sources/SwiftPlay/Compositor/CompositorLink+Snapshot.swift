import CompositorProtocol

/// The messages about the program's picture in the overview.
extension CompositorLink {
    /// What each compositor must know about the program's picture.
    struct SnapshotState {
        /// The identifier under which the picture is kept; nil for the name of the program.
        var identifier: String?
        /// Whether the picture must not be shown.
        var isPrivate = false
        /// The messages that wait for a connection, each at most once.
        var pendingMessages: [SnapshotMessage] = []
    }

    /// Sets the identifier under which the picture is kept.
    func setSnapshotIdentifier(_ identifier: String) {
        state.withLock { state in
            guard state.snapshot.identifier != identifier else { return }
            state.snapshot.identifier = identifier
            state.sendIfConnected(.identifier(identifier))
        }
    }

    /// Sets whether the picture must not be shown. To delete the picture of an earlier run, a connection is opened.
    func setSnapshotPrivate(_ isPrivate: Bool) {
        let needsConnection = state.withLock { state in
            guard state.snapshot.isPrivate != isPrivate else { return false }
            state.snapshot.isPrivate = isPrivate
            return !state.sendIfConnected(.isPrivate(isPrivate)) && isPrivate
        }
        if needsConnection { connectOrAnnounceSessions() }
    }

    /// Sends a message, or keeps it until there is a connection, which is opened.
    func sendSnapshotMessage(_ message: SnapshotMessage) {
        let needsConnection = state.withLock { state in
            guard !state.sendIfConnected(message) else { return false }
            if !state.snapshot.pendingMessages.contains(message) { state.snapshot.pendingMessages.append(message) }
            return true
        }
        if needsConnection { connectOrAnnounceSessions() }
    }

    /// Whether the program's picture must not be shown.
    var isSnapshotPrivate: Bool { state.withLock { $0.snapshot.isPrivate } }
    /// The identifier under which the picture is kept; nil for the name of the program.
    var snapshotIdentifier: String? { state.withLock { $0.snapshot.identifier } }
}

extension CompositorLink.State {
    /// Sends a new compositor what it must know about the program's picture.
    mutating func sendSnapshotState() {
        if let identifier = snapshot.identifier { sendIfConnected(.identifier(identifier)) }
        if snapshot.isPrivate { sendIfConnected(.isPrivate(true)) }
        let messages = snapshot.pendingMessages
        snapshot.pendingMessages = []
        for message in messages { sendIfConnected(message) }
    }

    /// Sends a message under the lock, so that messages stay in order.
    ///
    /// - Returns: False if there is no connection yet. A compositor that is too old, or has exited, needs no message.
    @discardableResult
    func sendIfConnected(_ message: SnapshotMessage) -> Bool {
        // A compositor that has not sent its interfaces yet receives the whole state after them.
        guard let socket, interfaces[.system] > 0 else { return false }
        if interfaces[.programs] >= 3 { try? socket.send(ClientMessage.snapshot(message).encoded) }
        return true
    }
}
