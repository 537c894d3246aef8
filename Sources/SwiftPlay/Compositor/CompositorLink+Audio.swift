import CompositorProtocol

/// The audio session of the process on the connection to the compositor.
extension CompositorLink {
    /// Registers the audio session of the process.
    ///
    /// - Parameters:
    ///   - page: The descriptor of the gain page of its render threads, which stays open as long as this link exists.
    ///   - handler: Called with the result and all later events, on the link's thread.
    package func openAudio(page: Int32, handler: @escaping @Sendable (AudioEvent) -> Void) {
        let isOpen = state.update { state in
            (state.audio, state.audioPage) = (handler, page)
            return state.socket != nil
        }
        if isOpen { announceAudio() } else { wake() }
    }

    /// The negotiated version of the protocol; the oldest one before the negotiation.
    var version: UInt16 { state.withLock { $0.version } }

    /// Sets whether the program may play audio in the background, for this compositor and later compositors.
    package func setMayPlayInBackground(_ mayPlay: Bool) {
        let isAnnounced = state.update { state in
            state.mayPlayInBackground = mayPlay
            return state.isAudioAnnounced
        }
        if isAnnounced { send(.audio(session: AudioSession.number, .mayPlayInBackground(mayPlay))) }
    }

    /// Registers the session again after the compositor was lost or reset. Call it only from the session's handler, on
    /// the link's thread, so that the session is not announced twice.
    package func reopenAudio() {
        let isOpen = state.update { state in
            state.isAudioAnnounced = false
            return state.socket != nil
        }
        if isOpen { announceAudio() } else { wake() }
    }

    /// Announces the audio session to the compositor, once for each connection.
    func announceAudio() {
        let found: (handler: @Sendable (AudioEvent) -> Void, page: Int32, version: UInt16, mayPlay: Bool)? =
            state.update { state in
                guard let handler = state.audio, state.socket != nil, !state.isAudioAnnounced else { return nil }
                state.isAudioAnnounced = true
                return (handler, state.audioPage, state.version, state.mayPlayInBackground)
            }
        guard let (handler, page, version, mayPlay) = found else { return }
        guard version >= ProtocolVersion.audio else { return handler(.unavailable) }
        // The reading thread reports a lost connection.
        guard send(.audio(session: AudioSession.number, .open(mayPlayInBackground: mayPlay)), [page]) else { return }
        // A change that was sent before `open` had no effect.
        let newest = state.withLock { $0.mayPlayInBackground }
        if newest != mayPlay { send(.audio(session: AudioSession.number, .mayPlayInBackground(newest))) }
        handler(.opened)
    }

    /// Returns whether a report is newer than the last report. Older compositors do not number their reports: they send
    /// 0.
    func isNext(_ sequence: UInt64) -> Bool {
        state.update { state in
            guard sequence > state.audioSequence else {
                return sequence == 0 && state.version < ProtocolVersion.sequences
            }
            state.audioSequence = sequence
            return true
        }
    }
}
