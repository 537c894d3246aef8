/// The life of one controller's Picture-in-Picture: a pure state machine, input in, actions out (the order of calls is
/// AVKit's).
///
/// Its promises: every `willStart` is followed by exactly one of `didStart` and `failed`; every `didStart` by exactly
/// one `willStop` and `didStop`; a restore is asked for at most once a stop and before its `willStop`; nothing is
/// called when nothing was begun; every window that was asked for is given back once, unless the compositor is gone.
package struct PictureInPictureMachine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case idle
        /// The compositor was asked for a window.
        case requesting
        /// The window opens; what was asked for meanwhile is done as soon as it has.
        case starting(then: Then)
        case active
        /// The program was asked to bring its interface back; the number tells this question from older ones.
        case restoring(question: Int)
        /// The window flies back to the layer, which shows the picture again; it is gone when its `closeWindow` is
        /// confirmed.
        case landing
    }

    package enum Then: Hashable, Sendable { case stay, stop, close }

    package enum Input: Hashable, Sendable {
        /// The program asks for a start; `obstacle` says why it cannot be, nil where it can.
        case start(obstacle: String?)
        /// Starts now, or as soon as ``becamePossible`` says so.
        case startWhenPossible(isPossible: Bool)
        case becamePossible
        /// Asks for restore, like the restore button.
        case stop
        /// Ends without asking, like the close button.
        case close

        // What the compositor says of a window. While a `closeWindow` is not confirmed it is about an older one and
        // changes nothing.
        case granted
        /// The window has shown a frame.
        case shown
        /// There is no window for the request.
        case refused(String)
        /// Another controller's window comes.
        case replaced
        /// The window is gone though nobody here asked.
        case windowGone
        /// Confirms a `closeWindow`. Without one it is what a compositor of an older protocol says for ``windowGone``.
        case stopped

        /// It cannot be: no display, nothing to show.
        case failed(String)
        /// The compositor is gone.
        case lost
        /// A start takes too long.
        case timedOut(attempt: Int)
        case restoreAnswered(question: Int, Bool)
        /// The answer takes too long.
        case restoreTimedOut(question: Int)
        /// The window of that start takes too long to come back.
        case landingTimedOut(attempt: Int)
        /// There is no picture any more.
        case sourceGone
    }

    package enum Action: Hashable, Sendable {
        /// Ask for a window; the number is that of this start.
        case requestWindow(attempt: Int)
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
        /// Show the current frame at the layer and feed it again; the window may fly there before it goes.
        case returnToLayer(flies: Bool)
        case closeWindow
        /// The end comes with the window's; the number is that of the start.
        case awaitLanding(attempt: Int)
        case callDidStop(PictureInPictureStopReason)
        /// Say in a log what was asked for in vain.
        case note(String)
    }

    package private(set) var state = State.idle
    /// Told apart by these: an answer to an older question, the time limit of an older start.
    package private(set) var questions = 0
    package private(set) var attempts = 0
    /// Times that a window was given back and the compositor has not said so yet.
    package private(set) var unconfirmedStops = 0
    package private(set) var startsWhenPossible = false
    /// Why the window that flies back was stopped.
    private var landingReason = PictureInPictureStopReason.restored

    package init() {}

    /// Is there a window of ours that a press of a button can have been meant for?
    package var hasWindow: Bool {
        switch state {
        case .idle, .requesting, .landing: false
        case .starting, .active, .restoring: unconfirmedStops == 0
        }
    }

    /// True while ``Input/stop`` would end something that is seen.
    package var canStop: Bool { state == .active }

    /// Something was begun and is not being ended.
    package var isUnderway: Bool { state != .idle && state != .landing }

    package mutating func handle(_ input: Input) -> [Action] {
        let actions = act(on: input)
        unconfirmedStops += actions.count { $0 == .closeWindow }
        return actions
    }

    private mutating func act(on input: Input) -> [Action] {
        switch input {
        case .granted, .shown, .refused, .replaced, .windowGone: return unconfirmedStops > 0 ? [] : follow(input)
        case .stopped:
            guard unconfirmedStops > 0 else { return follow(.windowGone) }
            unconfirmedStops -= 1
            return state == .landing && unconfirmedStops == 0 ? arrive() : []
        case .lost:
            unconfirmedStops = 0
            return follow(input)
        case .startWhenPossible(isPossible: false):
            if !isUnderway { startsWhenPossible = true }
            return []
        case .becamePossible where startsWhenPossible, .startWhenPossible: return act(on: .start(obstacle: nil))
        case .start(obstacle: nil), .stop, .close:
            startsWhenPossible = false
            return follow(input)
        default: return follow(input)
        }
    }

    private mutating func follow(_ input: Input) -> [Action] {
        switch (state, input) {
        case (.idle, .start(obstacle: nil)):
            state = .requesting
            attempts += 1
            return [.requestWindow(attempt: attempts)]
        case (.idle, .start(.some(let obstacle))): return [.callFailed(obstacle)]
        case (.requesting, .granted):
            state = .starting(then: .stay)
            return [.callWillStart, .openWindow]
        case (.requesting, .refused(let reason)), (.requesting, .failed(let reason)):
            state = .idle
            return [.closeWindow, .callFailed(reason)]
        case (.requesting, .timedOut(let attempt)) where attempt == attempts: return follow(.failed(Self.late))
        case (.requesting, .lost):
            state = .idle
            return [.callFailed("the compositor was lost")]
        case (.requesting, .stop), (.requesting, .close), (.requesting, .sourceGone):
            state = .idle
            return [.closeWindow, .callFailed("it was stopped before it began")]

        case (.starting(let then), .shown):
            state = .active
            let begun: [Action] = [.leaveLayer, .setActive(true), .callDidStart]
            return switch then {
            case .stay: begun
            case .stop: begun + end(.stopped, flies: true)
            case .close: begun + [.pausePlayer] + end(.closed)
            }
        case (.starting(let then), .stop):
            if then == .stay { state = .starting(then: .stop) }
            return []
        case (.starting, .close):
            state = .starting(then: .close)
            return []
        case (.starting, .refused(let reason)), (.starting, .failed(let reason)): return abandon(reason)
        case (.starting, .timedOut(let attempt)) where attempt == attempts: return abandon(Self.late)
        case (.starting, .lost): return abandon("the compositor was lost", hasCompositor: false)
        case (.starting, .replaced), (.starting, .windowGone): return abandon("another window took its place")
        case (.starting, .sourceGone): return abandon("there is no picture any more")

        case (.active, .stop):
            questions += 1
            state = .restoring(question: questions)
            return [.callRestore(question: questions)]
        case (.active, .close), (.restoring, .close): return [.pausePlayer] + end(.closed)
        case (.active, .lost), (.restoring, .lost): return end(.failed, hasCompositor: false)
        case (.active, .failed), (.restoring, .failed), (.active, .refused), (.restoring, .refused),
            (.active, .windowGone),
            (.restoring, .windowGone):
            return end(.failed)
        case (.active, .replaced), (.restoring, .replaced): return end(.replaced)
        case (.active, .sourceGone), (.restoring, .sourceGone): return end(.ended)
        case (.restoring(let asked), .restoreAnswered(question: let answered, let isBack)) where asked == answered:
            // Where the layer is not back there is nothing to fly to.
            return isBack ? end(.restored, flies: true) : end(.stopped)
        case (.restoring(let asked), .restoreTimedOut(question: let late)) where asked == late:
            return [.note("the restore handler was not called in time: treated as false")] + end(.stopped)

        // Who starts anew does not wait for the last window.
        case (.landing, .start): return arrive() + follow(input)
        case (.landing, .lost), (.landing, .sourceGone): return arrive()
        case (.landing, .landingTimedOut(let attempt)) where attempt == attempts:
            return [.note("the window did not come back in time")] + arrive()

        case (_, .restoreAnswered): return [.note("a restore was answered that nobody waits for (twice, or too late)")]
        case (.idle, .granted):
            // Asked for, stopped, and granted after all.
            return [.closeWindow]
        default: return []
        }
    }

    private static let late = "the window did not appear in time"

    private mutating func abandon(_ reason: String, hasCompositor: Bool = true) -> [Action] {
        state = .idle
        return [.returnToLayer(flies: false)] + (hasCompositor ? [.closeWindow] : []) + [.callFailed(reason)]
    }

    private mutating func end(_ reason: PictureInPictureStopReason, hasCompositor: Bool = true, flies: Bool = false)
        -> [Action]
    {
        let ending: [Action] =
            [.callWillStop(reason), .returnToLayer(flies: flies)] + (hasCompositor ? [.closeWindow] : [])
        guard flies else {
            state = .idle
            return ending + [.setActive(false), .callDidStop(reason)]
        }
        state = .landing
        landingReason = reason
        return ending + [.awaitLanding(attempt: attempts)]
    }

    /// Ends a flight back to the layer.
    private mutating func arrive() -> [Action] {
        state = .idle
        return [.setActive(false), .callDidStop(landingReason)]
    }
}

/// How a Picture-in-Picture came to its end. AVKit does not tell; users ask.
public enum PictureInPictureStopReason: String, Sendable, CaseIterable {
    /// The restore request was answered with `true`: the program's interface shows the picture again.
    case restored
    /// The program or the user stopped it, and the interface was not restored: the request was answered with `false`,
    /// not in time, or the delegate does not answer it; or the stop came before the window had opened. The player plays
    /// on.
    case stopped
    /// The user closed the window, or the program did; the player was paused.
    case closed
    /// There is no picture any more.
    case ended
    /// Another Picture-in-Picture took its place.
    case replaced
    /// The compositor or its display was lost; the player plays on.
    case failed
}
