import CompositorProtocol

/// The audio session of the process on the connection to the compositor.
extension CompositorLink {
    /// Registers the audio session of the process.
    ///
    /// - Parameters:
    ///   - gainPageDescriptor: The file descriptor of the shared memory in which the compositor sets the gain of this
    ///     process's audio. It stays open as long as this link exists.
    ///   - handler: Called with the result and all later events, on the thread "compositor".
    package func openAudioSession(gainPageDescriptor: Int32, handler: @escaping @Sendable (AudioEvent) -> Void) {
        let isOpen = state.update { state in
            (state.audioHandler, state.gainPageDescriptor) = (handler, gainPageDescriptor)
            return state.socket != nil
        }
        if isOpen { announceAudioSession() } else { connectOrAnnounceSessions() }
    }

    /// The negotiated version of the compositor protocol; before the negotiation, the oldest supported version.
    var version: UInt16 { state.withLock { $0.version } }

    /// Sets whether the program may play audio in the background, for the running compositor and for a compositor that
    /// replaces it.
    package func setMayPlayInBackground(_ mayPlay: Bool) {
        let isAnnounced = state.update { state in
            state.mayPlayInBackground = mayPlay
            return state.isAudioAnnounced
        }
        if isAnnounced { send(.audio(session: AudioSession.number, .mayPlayInBackground(mayPlay))) }
    }

    /// Registers the session again after the connection to the compositor was lost or reset. Call this method only from
    /// the session's handler, on the thread "compositor", so that the session is not announced twice.
    package func reopenAudioSession() {
        let isOpen = state.update { state in
            state.isAudioAnnounced = false
            return state.socket != nil
        }
        if isOpen { announceAudioSession() } else { connectOrAnnounceSessions() }
    }

    /// Announces the audio session to the compositor, once for each connection.
    func announceAudioSession() {
        let announcement:
            (handler: @Sendable (AudioEvent) -> Void, gainPageDescriptor: Int32, version: UInt16, mayPlay: Bool)? =
                state.update { state in
                    guard let handler = state.audioHandler, state.socket != nil, !state.isAudioAnnounced else {
                        return nil
                    }
                    state.isAudioAnnounced = true
                    return (handler, state.gainPageDescriptor, state.version, state.mayPlayInBackground)
                }
        guard let (handler, gainPageDescriptor, version, mayPlay) = announcement else { return }
        guard version >= ProtocolVersion.audio else { return handler(.unavailable) }
        // If sending fails, the connection is lost: the thread "compositor" then notifies the handler.
        guard send(.audio(session: AudioSession.number, .open(mayPlayInBackground: mayPlay)), [gainPageDescriptor])
        else {
            return
        }
        // Another thread may have changed `mayPlayInBackground` meanwhile. The compositor received that change before
        // `open` and ignored it.
        let currentMayPlay = state.withLock { $0.mayPlayInBackground }
        if currentMayPlay != mayPlay {
            send(.audio(session: AudioSession.number, .mayPlayInBackground(currentMayPlay)))
        }
        handler(.opened)
    }

    /// Records the sequence number of an audio report. Compositors before version 7 do not number their reports: they
    /// send 0.
    ///
    /// - Returns: Whether the report is newer than the last report, or comes from a compositor that does not number
    ///   reports.
    func acceptReport(_ sequenceNumber: UInt64) -> Bool {
        state.update { state in
            guard sequenceNumber > state.lastAudioReportNumber else {
                return sequenceNumber == 0 && state.version < ProtocolVersion.reportSequenceNumbers
            }
            state.lastAudioReportNumber = sequenceNumber
            return true
        }
    }
}
