/// The state machine of a controller's Picture-in-Picture: a pure value that turns inputs into actions. The order of
/// delegate calls is AVKit's.
///
/// It guarantees: each `willStart` is followed by exactly one `didStart` or `failed`; each `didStart` by exactly one
/// `willStop` and `didStop`; a stop requests at most one restore, before its `willStop`; without a start there are no
/// calls; each requested window is closed once, unless the compositor is gone.
package struct PictureInPictureMachine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case idle
        /// A window was requested from the compositor.
        case requesting
        /// The window is opening; a stop or close that was requested meanwhile follows.
        case starting(then: Then)
        case active
        /// A restore was requested from the program; the number tells this request from older ones.
        case restoring(question: Int)
        /// The window flies back to the layer, which shows the picture again. It ends when its `closeWindow` is
        /// confirmed.
        case landing
    }

    package enum Then: Hashable, Sendable { case stay, stop, close }

    package enum Input: Hashable, Sendable {
        /// The program requests a start; `obstacle` is the reason why it is not possible, or nil.
        case start(obstacle: String?)
        /// The program requests a start now, or at ``becamePossible``.
        case startWhenPossible(isPossible: Bool)
        case becamePossible
        /// A stop with a restore, as by the restore button.
        case stop
        /// A stop without a restore, as by the close button.
        case close

        // Reports of the compositor about a window. While a `closeWindow` is not confirmed, they concern an older
        // window and change nothing.
        case granted
        /// The window has shown a frame.
        case shown
        /// The compositor refused the window.
        case refused(String)
        /// Another controller's window replaces this one.
        case replaced
        /// The window closed without a request.
        case windowGone
        /// Confirms a `closeWindow`. Otherwise a compositor with an older protocol means ``windowGone``.
        case stopped

        /// The start failed: there is no display, or nothing to show.
        case failed(String)
        /// The connection to the compositor was lost.
        case lost
        /// The time limit of a start has passed.
        case timedOut(attempt: Int)
        case restoreAnswered(question: Int, Bool)
        /// The time limit of a restore has passed.
        case restoreTimedOut(question: Int)
        /// The time limit of the return has passed.
        case landingTimedOut(attempt: Int)
        /// The content source has no picture any more.
        case sourceGone
    }

    package enum Action: Hashable, Sendable {
        /// Request a window; the number identifies this start.
        case requestWindow(attempt: Int)
        case callWillStart
        /// Send frames to the window, beginning with the frame on screen.
        case openWindow
        /// Stop sending frames to the layer.
        case leaveLayer
        case setActive(Bool)
        case callDidStart
        case callFailed(String)
        case callRestore(question: Int)
        case pausePlayer
        case callWillStop(PictureInPictureStopReason)
        /// Show the current frame at the layer and send frames to it again; the window may fly there before it closes.
        case returnToLayer(flies: Bool)
        case closeWindow
        /// Wait for the end of the return; the number identifies the start.
        case awaitLanding(attempt: Int)
        case callDidStop(PictureInPictureStopReason)
        /// Log a request that had no effect.
        case note(String)
    }

    package private(set) var state = State.idle
    /// The numbers of restore requests and starts, which tell answers and time limits from older ones.
    package private(set) var questions = 0
    package private(set) var attempts = 0
    /// The number of closed windows that the compositor has not confirmed yet.
    package private(set) var unconfirmedStops = 0
    package private(set) var startsWhenPossible = false
    /// The stop reason of the window that flies back.
    private var landingReason = PictureInPictureStopReason.restored

    package init() {}

    /// Whether a window exists that a button press can refer to.
    package var hasWindow: Bool {
        switch state {
        case .idle, .requesting, .landing: false
        case .starting, .active, .restoring: unconfirmedStops == 0
        }
    }

    /// Whether ``Input/stop`` would end a visible window.
    package var canStop: Bool { state == .active }

    /// Whether a Picture-in-Picture has begun and is not ending.
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
            // Without a layer on screen there is no place to fly to.
            return isBack ? end(.restored, flies: true) : end(.stopped)
        case (.restoring(let asked), .restoreTimedOut(question: let late)) where asked == late:
            return [.note("the restore handler was not called in time: treated as false")] + end(.stopped)

        // A new start does not wait for the last window.
        case (.landing, .start): return arrive() + follow(input)
        case (.landing, .lost), (.landing, .sourceGone): return arrive()
        case (.landing, .landingTimedOut(let attempt)) where attempt == attempts:
            return [.note("the window did not come back in time")] + arrive()

        case (_, .restoreAnswered): return [.note("a restore was answered that nobody waits for (twice, or too late)")]
        case (.idle, .granted):
            // The window was granted after the request was stopped.
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

    /// Ends the return to the layer.
    private mutating func arrive() -> [Action] {
        state = .idle
        return [.setActive(false), .callDidStop(landingReason)]
    }
}

/// The reason why a Picture-in-Picture ended. AVKit does not report it.
public enum PictureInPictureStopReason: String, Sendable, CaseIterable {
    /// The program restored its interface, which shows the picture again.
    case restored
    /// The program or the user stopped it, and the interface was not restored: the answer was `false` or came too late,
    /// the delegate does not implement the method, or the window was not open yet. Playback continues.
    case stopped
    /// The user or the program closed the window. Playback was paused.
    case closed
    /// The content source has no picture any more.
    case ended
    /// Another Picture-in-Picture replaced it.
    case replaced
    /// The compositor or its display was lost. Playback continues.
    case failed
}
