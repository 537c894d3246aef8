import AudioPolicy
import Dispatch
import SystemCalls

/// Where the program is seen, of which depends what sound it may begin: in front while any of its windows is on the
/// screen, be it below others, or it has none; else in the background, or in the floating window. Any thread.
package final class ProgramPresence: Sendable {
    package static let shared = ProgramPresence(session: .sharedInstance())

    private struct State {
        /// Windows that are there, and whether they are on the screen.
        var windows: [ObjectIdentifier: Bool] = [:]
        var floating: Set<ObjectIdentifier> = []
        /// Picture-in-Picture that is about to begin: a program that goes to the background waits for it before it
        /// pauses.
        var starting: Set<ObjectIdentifier> = []
        /// Pauses each player that pauses in the background.
        var pausing: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Counts the times that the program went to the background.
        var departures = 0

        var isInBackground: Bool { presence == .background && starting.isEmpty }

        var presence: AudioArbiter.Presence {
            if windows.isEmpty && floating.isEmpty || windows.values.contains(true) { return .foreground }
            return floating.isEmpty ? .background : .pictureInPicture
        }
    }

    /// How long the program has to be in the background before players pause: longer than Picture-in-Picture takes to
    /// begin to start by itself.
    private static let pauseDelay = DispatchTimeInterval.milliseconds(500)

    private let state = Monitor(State())
    private let session: AudioSession

    init(session: AudioSession) { self.session = session }

    /// - Parameter isShown: nil: there is no such window any more.
    package func setWindow(_ window: ObjectIdentifier, isShown: Bool?) { change { $0.windows[window] = isShown } }

    /// Its picture is in the floating window, or is no longer.
    package func setFloating(_ picture: ObjectIdentifier, _ isFloating: Bool) {
        change { if isFloating { $0.floating.insert(picture) } else { $0.floating.remove(picture) } }
    }

    /// Picture-in-Picture was requested and has not ended, or that is over.
    package func setStarting(_ picture: ObjectIdentifier, _ isStarting: Bool) {
        change { if isStarting { $0.starting.insert(picture) } else { $0.starting.remove(picture) } }
    }

    /// Sets what pauses a player when the program goes to the background; nil: the player plays on.
    func setPauses(_ player: AnyObject, _ pause: (@Sendable () -> Void)?) {
        state.withLock { $0.pausing[ObjectIdentifier(player)] = pause }
    }

    private func change(_ body: (inout State) -> Void) {
        // Told under the lock: in the order in which it happened.
        let departure: Int? = state.withLock { state in
            let old = state.presence, wasInBackground = state.isInBackground
            body(&state)
            if state.presence != old { session.setPresence(state.presence) }
            guard state.isInBackground, !wasInBackground else { return nil }
            state.departures += 1
            return state.departures
        }
        guard let departure else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pauseDelay) { [weak self] in
            self?.pausePlayers(departure)
        }
    }

    private func pausePlayers(_ departure: Int) {
        let pauses = state.withLock { state in
            state.isInBackground && state.departures == departure ? Array(state.pausing.values) : []
        }
        for pause in pauses { pause() }
    }
}

extension AudioSession {
    package func setPresence(_ presence: AudioArbiter.Presence) {
        state.update { state in
            state.wanted.presence = presence
            if state.dialogue.connection == .open { send(.presence(presence)) }
        }
    }
}
