import AudioPolicy
import SystemCalls

/// Where the program is seen, of which depends what sound it may begin: in front while any of its windows is on the screen, be it below others,
/// or it has none; else in the background, or in the floating window. Any thread.
package final class ProgramPresence: Sendable {
    package static let shared = ProgramPresence(session: .sharedInstance())

    private struct State {
        /// Windows that are there, and whether they are on the screen.
        var windows: [ObjectIdentifier: Bool] = [:]
        var floating: Set<ObjectIdentifier> = []

        var presence: AudioArbiter.Presence {
            if windows.isEmpty && floating.isEmpty || windows.values.contains(true) { return .foreground }
            return floating.isEmpty ? .background : .pictureInPicture
        }
    }

    private let state = Monitor(State())
    private let session: AudioSession

    init(session: AudioSession) { self.session = session }

    /// - Parameter isShown: nil: there is no such window any more.
    package func setWindow(_ window: ObjectIdentifier, isShown: Bool?) { change { $0.windows[window] = isShown } }

    /// Its picture is in the floating window, or is no longer.
    package func setFloating(_ picture: ObjectIdentifier, _ isFloating: Bool) {
        change { if isFloating { $0.floating.insert(picture) } else { $0.floating.remove(picture) } }
    }

    private func change(_ body: (inout State) -> Void) {
        // Told under the lock: in the order in which it happened.
        state.withLock { state in
            let old = state.presence
            body(&state)
            if state.presence != old { session.setPresence(state.presence) }
        }
    }
}

extension AudioSession {
    package func setPresence(_ presence: AudioArbiter.Presence) {
        state.update { state in
            state.presence = presence
            if state.connection == .open { send(.presence(presence)) }
        }
    }
}
