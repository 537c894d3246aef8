import AudioPolicy
import Dispatch
import SystemCalls

/// The visibility of the program, on which the right to start audio depends. Safe to use from any thread.
///
/// A program is in the foreground while one of its windows is on the screen, even below other windows, or while it has
/// neither a window nor a floating picture. Otherwise it is in Picture-in-Picture if a floating window shows its
/// picture, or else in the background.
package final class ProgramVisibility: Sendable {
    /// The visibility of this process's program.
    package static let shared = ProgramVisibility(session: .sharedInstance())

    /// The windows and floating pictures that determine the program's visibility, and the players to pause.
    private struct State {
        /// Whether each window of the program is on the screen.
        var windows: [ObjectIdentifier: Bool] = [:]
        /// The pictures that are in a floating window.
        var floatingPictures: Set<ObjectIdentifier> = []
        /// The controllers whose Picture-in-Picture is requested or running. While this set is not empty, players do
        /// not pause in the background.
        var activeControllers: Set<ObjectIdentifier> = []
        /// The closures that pause players in the background, by player.
        var pauseHandlers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The number of times that the program moved to the background.
        var backgroundMoveCount = 0

        /// Whether players with the background policy `.pauses` must pause.
        var isInBackground: Bool { visibility == .background && activeControllers.isEmpty }

        /// The program's visibility, as the compositor receives it.
        var visibility: AudioArbiter.Visibility {
            if windows.isEmpty && floatingPictures.isEmpty || windows.values.contains(true) { return .foreground }
            return floatingPictures.isEmpty ? .background : .pictureInPicture
        }
    }

    /// The time that the program must be in the background before players pause. An automatic start of
    /// Picture-in-Picture takes less time.
    private static let pauseDelay = DispatchTimeInterval.milliseconds(500)

    private let state = Monitor(State())
    private let session: AudioSession

    init(session: AudioSession) { self.session = session }

    /// Records whether a window of the program is on the screen.
    ///
    /// - Parameter isShown: Whether the window is on the screen; nil if it is closed.
    package func setWindow(_ window: ObjectIdentifier, isShown: Bool?) { changeState { $0.windows[window] = isShown } }

    /// Records whether a picture is in the floating window.
    package func setFloating(_ picture: ObjectIdentifier, _ isFloating: Bool) {
        changeState {
            if isFloating { $0.floatingPictures.insert(picture) } else { $0.floatingPictures.remove(picture) }
        }
    }

    /// Records whether a Picture-in-Picture is requested or running.
    package func setPictureInPictureUnderway(_ controller: ObjectIdentifier, _ isUnderway: Bool) {
        changeState {
            if isUnderway { $0.activeControllers.insert(controller) } else { $0.activeControllers.remove(controller) }
        }
    }

    /// Sets the closure that pauses a player in the background; nil if the player continues.
    func setPauseHandler(_ player: AnyObject, _ pauseHandler: (@Sendable () -> Void)?) {
        state.withLock { $0.pauseHandlers[ObjectIdentifier(player)] = pauseHandler }
    }

    /// Changes the windows or pictures, reports a new visibility of the program to the compositor, and pauses players
    /// after a while in the background.
    private func changeState(_ body: (inout State) -> Void) {
        // Report to the compositor under the lock, so that it receives the changes in order.
        let backgroundMoveNumber: Int? = state.withLock { state in
            let oldVisibility = state.visibility, wasInBackground = state.isInBackground
            body(&state)
            if state.visibility != oldVisibility { session.setVisibility(state.visibility) }
            guard state.isInBackground, !wasInBackground else { return nil }
            state.backgroundMoveCount += 1
            return state.backgroundMoveCount
        }
        guard let backgroundMoveNumber else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pauseDelay) { [weak self] in
            self?.pausePlayers(backgroundMoveNumber)
        }
    }

    /// Pauses players if the program is in the background, and has been there since the move with the given number.
    private func pausePlayers(_ backgroundMoveNumber: Int) {
        let pauseHandlers = state.withLock { state in
            state.isInBackground && state.backgroundMoveCount == backgroundMoveNumber
                ? Array(state.pauseHandlers.values) : []
        }
        for pauseHandler in pauseHandlers { pauseHandler() }
    }
}

extension AudioSession {
    /// Records the visibility of the program and reports it to the compositor.
    package func setVisibility(_ visibility: AudioArbiter.Visibility) {
        state.update { state in
            state.requestedState.visibility = visibility
            if state.requests.connection == .open { send(.visibility(visibility)) }
        }
    }
}
