import CompositorProtocol

/// The process's audio session on the connection to the compositor.
extension CompositorLink {
    /// Wants the process's audio session registered. The outcome, and all that follows, comes to `handler`.
    ///
    /// - Parameter page: the descriptor of what its render threads obey; it stays open as long as this link lives.
    package func openAudio(page: Int32, handler: @escaping @Sendable (AudioEvent) -> Void) {
        let isOpen = state.update { state in
            (state.audio, state.audioPage) = (handler, page)
            return state.socket != nil
        }
        if isOpen { announceAudio() } else { wake() }
    }

    /// The version of the protocol that was agreed on; the oldest one before that.
    var version: UInt16 { state.withLock { $0.version } }

    /// Declares whether the program may be heard in the background, to this compositor and to later ones.
    package func setMayPlayInBackground(_ mayPlay: Bool) {
        let isAnnounced = state.update { state in
            state.mayPlayInBackground = mayPlay
            return state.isAudioAnnounced
        }
        if isAnnounced { send(.audio(session: AudioSession.number, .mayPlayInBackground(mayPlay))) }
    }

    /// Registers it again, after a loss or a reset: called by its handler, so on the link's thread, where nothing else
    /// announces it meanwhile.
    package func reopenAudio() {
        let isOpen = state.update { state in
            state.isAudioAnnounced = false
            return state.socket != nil
        }
        if isOpen { announceAudio() } else { wake() }
    }

    /// Once for each connection, whoever comes first: who connects, or who wants it.
    func announceAudio() {
        let found: (handler: @Sendable (AudioEvent) -> Void, page: Int32, version: UInt16, mayPlay: Bool)? =
            state.update { state in
                guard let handler = state.audio, state.socket != nil, !state.isAudioAnnounced else { return nil }
                state.isAudioAnnounced = true
                return (handler, state.audioPage, state.version, state.mayPlayInBackground)
            }
        guard let (handler, page, version, mayPlay) = found else { return }
        guard version >= ProtocolVersion.audio else { return handler(.unavailable) }
        // A connection that is gone already says so by itself.
        guard send(.audio(session: AudioSession.number, .open(mayPlayInBackground: mayPlay)), [page]) else { return }
        // A change that was sent before `open` had no session to change.
        let newest = state.withLock { $0.mayPlayInBackground }
        if newest != mayPlay { send(.audio(session: AudioSession.number, .mayPlayInBackground(newest))) }
        handler(.opened)
    }

    /// Whether a report follows the one before it; older compositors do not number theirs.
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
