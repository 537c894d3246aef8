/// The life of one controller's Picture-in-Picture: a pure state machine, input in, actions out (the order of calls is AVKit's).
///
/// Its promises: every `willStart` is followed by exactly one of `didStart` and `failed`; every `didStart` by exactly one `willStop` and
/// `didStop`; a restore is asked for at most once a stop and before its `willStop`; nothing is called when nothing was begun.
package struct PictureInPictureMachine: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case idle
        /// The compositor was asked for a window.
        case requesting
        /// The window opens; what was asked for meanwhile is done as soon as it has.
        case starting(then: Then)
        case active
        /// The program was asked to bring its interface back; the number tells this question from older ones.
        case restoring(question: Int)
    }

    package enum Then: Equatable, Sendable { case stay, stop, close }

    package enum Input: Equatable, Sendable {
        case start(isPossible: Bool)
        /// Asks for restore, like the restore button.
        case stop
        /// Ends without asking, like the close button.
        case close
        case granted
        /// The window has shown a frame.
        case shown
        case failed(String)
        /// The compositor is gone.
        case lost
        /// Another controller's window comes.
        case replaced
        /// The window is gone though nobody here asked.
        case windowGone
        case restoreAnswered(question: Int, Bool)
        /// There is no picture any more.
        case sourceGone
    }

    package enum Action: Equatable, Sendable {
        case requestWindow
        case callWillStart
        /// Feed the window, beginning with the frame on screen.
        case openWindow
        /// Feed the layer no longer.
        case leaveLayer
        case setActive(Bool)
        case callDidStart
        case callFailed(String)
        case callRestore(question: Int)
        case pausePlayer
        case callWillStop(PictureInPictureStopReason)
        /// Show the current frame at the layer and feed it again.
        case returnToLayer
        case closeWindow
        case callDidStop(PictureInPictureStopReason)
        /// Say in a log what was asked for in vain.
        case note(String)
    }

    package private(set) var state = State.idle
    private var questions = 0

    package init() {}

    package mutating func handle(_ input: Input) -> [Action] {
        switch (state, input) {
        case (.idle, .start(isPossible: true)):
            state = .requesting
            return [.requestWindow]
        case (.idle, .start(isPossible: false)):
            return [.callFailed("Picture-in-Picture is not possible now")]
        case (.requesting, .granted):
            state = .starting(then: .stay)
            return [.callWillStart, .openWindow]
        case (.requesting, .failed(let reason)):
            state = .idle
            return [.closeWindow, .callFailed(reason)]
        case (.requesting, .lost):
            state = .idle
            return [.callFailed("the compositor was lost")]
        case (.requesting, .stop), (.requesting, .close), (.requesting, .sourceGone), (.requesting, .replaced), (.requesting, .windowGone):
            state = .idle
            return [.closeWindow, .callFailed("it was stopped before it began")]

        case (.starting(let then), .shown):
            state = .active
            let begun: [Action] = [.leaveLayer, .setActive(true), .callDidStart]
            return switch then {
            case .stay: begun
            case .stop: begun + end(.restored)
            case .close: begun + [.pausePlayer] + end(.closed)
            }
        case (.starting(let then), .stop):
            if then == .stay { state = .starting(then: .stop) }
            return []
        case (.starting, .close):
            state = .starting(then: .close)
            return []
        case (.starting, .failed(let reason)): return abandon(reason)
        case (.starting, .lost): return abandon("the compositor was lost")
        case (.starting, .replaced), (.starting, .windowGone): return abandon("another window took its place")
        case (.starting, .sourceGone): return abandon("there is no picture any more")

        case (.active, .stop):
            questions += 1
            state = .restoring(question: questions)
            return [.callRestore(question: questions)]
        case (.active, .close), (.restoring, .close): return [.pausePlayer] + end(.closed)
        case (.active, .lost), (.restoring, .lost), (.active, .failed), (.restoring, .failed), (.active, .windowGone),
            (.restoring, .windowGone):
            return end(.failed)
        case (.active, .replaced), (.restoring, .replaced): return end(.replaced)
        case (.active, .sourceGone), (.restoring, .sourceGone): return end(.ended)
        case (.restoring(let asked), .restoreAnswered(question: let answered, _)) where asked == answered: return end(.restored)

        case (_, .restoreAnswered): return [.note("a restore was answered that nobody waits for (twice, or too late)")]
        case (.idle, .granted):
            // Asked for, stopped, and granted after all.
            return [.closeWindow]
        default: return []
        }
    }

    private mutating func abandon(_ reason: String) -> [Action] {
        state = .idle
        return [.returnToLayer, .closeWindow, .callFailed(reason)]
    }

    private mutating func end(_ reason: PictureInPictureStopReason) -> [Action] {
        state = .idle
        return [.callWillStop(reason), .returnToLayer, .closeWindow, .setActive(false), .callDidStop(reason)]
    }
}

/// How a Picture-in-Picture came to its end. AVKit does not tell; users ask.
public enum PictureInPictureStopReason: String, Sendable, CaseIterable {
    /// The picture is back in the program's interface.
    case restored
    /// The user closed the window, or the program did; the player was paused.
    case closed
    /// There is no picture any more.
    case ended
    /// Another Picture-in-Picture took its place.
    case replaced
    /// The compositor or its display was lost; the player plays on.
    case failed
}
