import AudioPolicy
import Dispatch
import SystemCalls

/// The visibility of the program, which decides what audio it may start: in the foreground while any window is on the
/// screen, even below others, or while it has no window; otherwise in the background, or in the floating window. Any
/// thread.
package final class ProgramPresence: Sendable {
    package static let shared = ProgramPresence(session: .sharedInstance())

    private struct State {
        /// The windows, and whether each is on the screen.
        var windows: [ObjectIdentifier: Bool] = [:]
        var floating: Set<ObjectIdentifier> = []
        /// The pending starts of Picture-in-Picture. A program in the background waits for them before it pauses.
        var starting: Set<ObjectIdentifier> = []
        /// The closures that pause players in the background.
        var pausing: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The number of times that the program moved to the background.
        var departures = 0

        var isInBackground: Bool { presence == .background && starting.isEmpty }

        var presence: AudioArbiter.Presence {
            if windows.isEmpty && floating.isEmpty || windows.values.contains(true) { return .foreground }
            return floating.isEmpty ? .background : .pictureInPicture
        }
    }

    /// How long the program must be in the background before players pause: longer than an automatic start of
    /// Picture-in-Picture takes.
    private static let pauseDelay = DispatchTimeInterval.milliseconds(500)

    private let state = Monitor(State())
    private let session: AudioSession

    init(session: AudioSession) { self.session = session }

    /// Updates a window.
    ///
    /// - Parameter isShown: Whether it is on the screen; nil if it is closed.
    package func setWindow(_ window: ObjectIdentifier, isShown: Bool?) { change { $0.windows[window] = isShown } }

    /// Records whether a picture is in the floating window.
    package func setFloating(_ picture: ObjectIdentifier, _ isFloating: Bool) {
        change { if isFloating { $0.floating.insert(picture) } else { $0.floating.remove(picture) } }
    }

    /// Records whether a Picture-in-Picture is requested or running.
    package func setStarting(_ picture: ObjectIdentifier, _ isStarting: Bool) {
        change { if isStarting { $0.starting.insert(picture) } else { $0.starting.remove(picture) } }
    }

    /// Sets the closure that pauses a player in the background; nil if the player continues.
    func setPauses(_ player: AnyObject, _ pause: (@Sendable () -> Void)?) {
        state.withLock { $0.pausing[ObjectIdentifier(player)] = pause }
    }

    private func change(_ body: (inout State) -> Void) {
        // Sends under the lock, to keep the order.
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
