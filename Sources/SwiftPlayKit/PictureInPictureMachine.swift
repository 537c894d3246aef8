/// The state machine of a controller's Picture-in-Picture: a value type that turns inputs into actions. The actions
/// call the delegate in AVKit's order.
///
/// The machine guarantees: each `willStart` is followed by exactly one `didStart` or `failedToStart`; each `didStart`
/// by exactly one `willStop` and `didStop`; a stop requests at most one restore, before its `willStop`; without a start
/// the delegate is not called; each requested window is closed once, unless the compositor is lost.
package struct PictureInPictureMachine: Hashable, Sendable {
    /// The state of Picture-in-Picture.
    package enum State: Hashable, Sendable {
        /// There is no floating window, and none was requested.
        case idle
        /// The controller has requested a floating window from the compositor.
        case requesting
        /// The floating window is opening; `completion` is the step after it has opened.
        case starting(completion: StartCompletion)
        /// The floating window shows the picture.
        case active
        /// The program is restoring its interface; `request` is the number of the restore request.
        case restoring(request: Int)
        /// The floating window moves back to the layer in an animation, and the layer shows the picture again. The
        /// return ends when the compositor confirms ``Action/closeWindow``.
        case returning
    }

    /// The step after an opening floating window has shown its first frame: it stays open (`stay`), closes with a
    /// restore of the program's interface (`stop`), or closes without a restore (`close`).
    package enum StartCompletion: Hashable, Sendable { case stay, stop, close }

    /// A request of the program or the user, a report of the compositor, or a passed time limit.
    package enum Input: Hashable, Sendable {
        /// The program requests a start of Picture-in-Picture; `obstacle` is the reason why it is not possible, or nil.
        case start(obstacle: String?)
        /// The program requests a start of Picture-in-Picture: now if it is possible, otherwise at ``becamePossible``.
        case startWhenPossible(isPossible: Bool)
        /// A start of Picture-in-Picture is possible now.
        case becamePossible
        /// The user or the program stops Picture-in-Picture with a restore of the interface, as the restore button
        /// does.
        case stop
        /// The user or the program stops Picture-in-Picture without a restore of the interface, as the close button
        /// does.
        case close

        // Reports of the compositor about a window. While a `closeWindow` is not confirmed, such a report belongs to an
        // older window and has no effect.
        /// The compositor permits the requested floating window.
        case granted
        /// The floating window has shown its first frame.
        case shown
        /// The compositor refused the requested floating window; the value is the reason.
        case refused(String)
        /// The window of another controller replaces this controller's window.
        case replaced
        /// The floating window closed without a request of this controller.
        case windowClosed
        /// The compositor has closed the window as ``Action/closeWindow`` requested. If no such request is pending, the
        /// window has closed by itself: compositors with an older protocol report ``windowClosed`` in this way.
        case stopped

        /// The compositor is not available, or there is no frame to show; the value is the reason.
        case failed(String)
        /// The connection to the compositor was lost.
        case lost
        /// The time limit of the start with the number `attempt` has passed.
        case timedOut(attempt: Int)
        /// The program has called the completion handler of a restore request; the boolean is whether its interface is
        /// restored.
        case restoreCompleted(request: Int, Bool)
        /// The time limit of the restore request with the number `request` has passed.
        case restoreTimedOut(request: Int)
        /// The time limit of the animation back to the layer has passed; `attempt` is the number of the start.
        case returnTimedOut(attempt: Int)
        /// The content source has no picture any more.
        case sourceReleased
    }

    /// An action that the controller performs.
    package enum Action: Hashable, Sendable {
        /// Request a floating window from the compositor; `attempt` is the number of this start.
        case requestWindow(attempt: Int)
        /// Call the delegate's `willStart`. The other cases whose names begin with `call` call its other methods.
        case callWillStart
        /// Send frames to the floating window, beginning with the frame on screen.
        case openWindow
        /// Stop sending frames to the layer, because the floating window shows them.
        case leaveLayer
        /// Set whether Picture-in-Picture is active.
        case setActive(Bool)
        case callDidStart
        case callFailed(String)
        /// Request that the program restore its interface; `request` is the number of this restore request.
        case callRestore(request: Int)
        /// Pause the player.
        case pausePlayer
        case callWillStop(PictureInPictureStopReason)
        /// Show the current frame at the layer and send frames to the layer again. If `isAnimated` is true, the
        /// floating window moves to the layer in an animation before it closes.
        case returnToLayer(isAnimated: Bool)
        /// Request that the compositor close the floating window.
        case closeWindow
        /// Wait for the end of the animation back to the layer; `attempt` is the number of the Picture-in-Picture start
        /// whose window moves back.
        case awaitReturn(attempt: Int)
        case callDidStop(PictureInPictureStopReason)
        /// Log a message, for example about a call of a restore handler that had no effect.
        case log(String)
    }

    /// The current state of Picture-in-Picture.
    package private(set) var state = State.idle
    /// The number of the newest restore request. The results and the time limits of older requests are ignored.
    package private(set) var restoreRequestNumber = 0
    /// The number of the newest start. The time limits of older starts are ignored.
    package private(set) var startNumber = 0
    /// The number of closed windows whose closing the compositor has not confirmed yet.
    package private(set) var unconfirmedStopCount = 0
    /// Whether Picture-in-Picture starts as soon as it is possible.
    package private(set) var startsWhenPossible = false
    /// The reason for which the floating window that moves back to the layer was stopped.
    private var returnReason = PictureInPictureStopReason.restored

    package init() {}

    /// Whether a floating window is open, so that a report of a pressed button belongs to that window.
    package var hasWindow: Bool {
        switch state {
        case .idle, .requesting, .returning: false
        case .starting, .active, .restoring: unconfirmedStopCount == 0
        }
    }

    /// Whether ``Input/stop`` would stop Picture-in-Picture.
    package var canStop: Bool { state == .active }

    /// Whether Picture-in-Picture was requested or is active, and is not returning to the layer.
    package var isUnderway: Bool { state != .idle && state != .returning }

    /// Handles an input and returns the actions that the controller must perform, in order.
    package mutating func handle(_ input: Input) -> [Action] {
        let actions = act(on: input)
        unconfirmedStopCount += actions.count { $0 == .closeWindow }
        return actions
    }

    /// Handles an input and returns the actions. Discards reports about an older floating window.
    private mutating func act(on input: Input) -> [Action] {
        switch input {
        case .granted, .shown, .refused, .replaced, .windowClosed:
            return unconfirmedStopCount > 0 ? [] : transition(input)
        case .stopped:
            guard unconfirmedStopCount > 0 else { return transition(.windowClosed) }
            unconfirmedStopCount -= 1
            return state == .returning && unconfirmedStopCount == 0 ? finishReturn() : []
        case .lost:
            unconfirmedStopCount = 0
            return transition(input)
        case .startWhenPossible(isPossible: false):
            if !isUnderway { startsWhenPossible = true }
            return []
        case .becamePossible where startsWhenPossible, .startWhenPossible: return act(on: .start(obstacle: nil))
        case .start(obstacle: nil), .stop, .close:
            startsWhenPossible = false
            return transition(input)
        default: return transition(input)
        }
    }

    /// Changes the state for an input and returns the actions. Inputs that do not fit the state have no effect.
    private mutating func transition(_ input: Input) -> [Action] {
        switch (state, input) {
        case (.idle, .start(obstacle: nil)):
            state = .requesting
            startNumber += 1
            return [.requestWindow(attempt: startNumber)]
        case (.idle, .start(.some(let obstacle))): return [.callFailed(obstacle)]
        case (.requesting, .granted):
            state = .starting(completion: .stay)
            return [.callWillStart, .openWindow]
        case (.requesting, .refused(let reason)), (.requesting, .failed(let reason)):
            state = .idle
            return [.closeWindow, .callFailed(reason)]
        case (.requesting, .timedOut(let attempt)) where attempt == startNumber:
            return transition(.failed(Self.timeoutMessage))
        case (.requesting, .lost):
            state = .idle
            return [.callFailed("the compositor was lost")]
        case (.requesting, .stop), (.requesting, .close), (.requesting, .sourceReleased):
            state = .idle
            return [.closeWindow, .callFailed("it was stopped before it started")]

        case (.starting(let completion), .shown):
            state = .active
            let startedActions: [Action] = [.leaveLayer, .setActive(true), .callDidStart]
            return switch completion {
            case .stay: startedActions
            case .stop: startedActions + end(.stopped, isAnimated: true)
            case .close: startedActions + [.pausePlayer] + end(.closed)
            }
        case (.starting(let completion), .stop):
            if completion == .stay { state = .starting(completion: .stop) }
            return []
        case (.starting, .close):
            state = .starting(completion: .close)
            return []
        case (.starting, .refused(let reason)), (.starting, .failed(let reason)): return abandonStart(reason)
        case (.starting, .timedOut(let attempt)) where attempt == startNumber: return abandonStart(Self.timeoutMessage)
        case (.starting, .lost): return abandonStart("the compositor was lost", hasCompositor: false)
        case (.starting, .replaced): return abandonStart("another window replaced it")
        case (.starting, .windowClosed): return abandonStart("the window was closed")
        case (.starting, .sourceReleased): return abandonStart("the video source was removed")

        case (.active, .stop):
            restoreRequestNumber += 1
            state = .restoring(request: restoreRequestNumber)
            return [.callRestore(request: restoreRequestNumber)]
        case (.active, .close), (.restoring, .close): return [.pausePlayer] + end(.closed)
        case (.active, .lost), (.restoring, .lost): return end(.failed, hasCompositor: false)
        case (.active, .failed), (.restoring, .failed), (.active, .refused), (.restoring, .refused),
            (.active, .windowClosed),
            (.restoring, .windowClosed):
            return end(.failed)
        case (.active, .replaced), (.restoring, .replaced): return end(.replaced)
        case (.active, .sourceReleased), (.restoring, .sourceReleased): return end(.ended)
        case (.restoring(let restoreRequest), .restoreCompleted(request: let completedRequest, let isRestored))
        where restoreRequest == completedRequest:
            // If the interface was not restored, the layer may not be on screen: the floating window closes without an
            // animation.
            return isRestored ? end(.restored, isAnimated: true) : end(.stopped)
        case (.restoring(let restoreRequest), .restoreTimedOut(request: let timedOutRequest))
        where restoreRequest == timedOutRequest:
            return [.log("the restore handler was not called in time; continuing as if it was called with false")]
                + end(.stopped)

        // A new start ends the return animation of the last floating window.
        case (.returning, .start): return finishReturn() + transition(input)
        case (.returning, .lost), (.returning, .sourceReleased): return finishReturn()
        case (.returning, .returnTimedOut(let attempt)) where attempt == startNumber:
            return [.log("the return animation did not finish in time")] + finishReturn()

        case (_, .restoreCompleted): return [.log("ignored a call of the restore handler: repeated, or too late")]
        case (.idle, .granted):
            // The compositor permitted the window too late, after the start was stopped: close the window.
            return [.closeWindow]
        default: return []
        }
    }

    private static let timeoutMessage = "the window did not appear in time"

    /// Ends a start that failed before the floating window showed a frame, and returns the actions.
    private mutating func abandonStart(_ reason: String, hasCompositor: Bool = true) -> [Action] {
        state = .idle
        return [.returnToLayer(isAnimated: false)] + (hasCompositor ? [.closeWindow] : []) + [.callFailed(reason)]
    }

    /// Ends Picture-in-Picture and returns the actions. If `isAnimated` is true, the floating window moves back to the
    /// layer in an animation first.
    private mutating func end(
        _ reason: PictureInPictureStopReason, hasCompositor: Bool = true, isAnimated: Bool = false
    )
        -> [Action]
    {
        let endActions: [Action] =
            [.callWillStop(reason), .returnToLayer(isAnimated: isAnimated)] + (hasCompositor ? [.closeWindow] : [])
        guard isAnimated else {
            state = .idle
            return endActions + [.setActive(false), .callDidStop(reason)]
        }
        state = .returning
        returnReason = reason
        return endActions + [.awaitReturn(attempt: startNumber)]
    }

    /// Ends the return of the floating window to the layer, and returns the actions.
    private mutating func finishReturn() -> [Action] {
        state = .idle
        return [.setActive(false), .callDidStop(returnReason)]
    }
}

/// The reason why a Picture-in-Picture ended. AVKit does not report it.
public enum PictureInPictureStopReason: String, Sendable, CaseIterable {
    /// The program restored its interface, which shows the picture again.
    case restored
    /// The program or the user stopped Picture-in-Picture, and the interface was not restored: the delegate called
    /// the completion handler with `false` or too late, or does not implement the method, or the floating window was
    /// not open yet. Playback continues.
    case stopped
    /// The user or the program closed the floating window. Playback was paused.
    case closed
    /// The content source has no picture any more.
    case ended
    /// Another Picture-in-Picture replaced this one.
    case replaced
    /// The compositor, or its connection to the display server, was lost. Playback continues.
    case failed
}
