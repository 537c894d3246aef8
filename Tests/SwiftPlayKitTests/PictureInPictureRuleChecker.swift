@testable import SwiftPlayKit

/// Checks the rules of Picture-in-Picture independently of the state machine under test. Records the delegate calls of
/// the machine and where it sends frames.
struct PictureInPictureRuleChecker: Hashable {
    /// The last delegate call of the current start or stop.
    enum Phase { case none, willStarted, started, willStopped }

    private(set) var phase = Phase.none
    private(set) var isPictureInPictureActive = false
    /// Whether a floating window was requested and has been neither closed nor removed.
    private(set) var hasWindow = false
    /// Whether the floating window receives frames.
    private(set) var sendsToWindow = false
    /// Whether the layer receives frames.
    private(set) var sendsToLayer = true
    /// The number of restore requests since the current stop began.
    private var restoreCount = 0
    /// Whether a close was requested that must take effect when the floating window is shown.
    private var isClosePending = false
    private var stopReason: PictureInPictureStopReason?
    private(set) var violations: [String] = []

    /// Whether the recorded state is the same as before the first start of Picture-in-Picture.
    var matchesInitialState: Bool {
        phase == .none && !isPictureInPictureActive && !hasWindow && !sendsToWindow && sendsToLayer && restoreCount == 0
    }

    /// Records an input of the Picture-in-Picture machine.
    mutating func receive(_ input: PictureInPictureMachine.Input) {
        switch input {
        // A lost compositor has closed its windows.
        case .lost: hasWindow = false
        // A close that arrives before the window is shown takes effect when the window is shown.
        case .close: isClosePending = phase == .willStarted || phase == .started
        default: break
        }
        if phase == .none { isClosePending = false }
    }

    /// Records an action of the Picture-in-Picture machine and checks it against the rules.
    mutating func record(_ action: PictureInPictureMachine.Action, after input: PictureInPictureMachine.Input) {
        switch action {
        case .requestWindow:
            require(phase == .none && !hasWindow, "a second window is requested")
            hasWindow = true
        case .callWillStart:
            require(phase == .none && hasWindow, "willStart in the wrong phase")
            phase = .willStarted
        case .openWindow:
            require(phase == .willStarted && !sendsToWindow, "the window receives frames before willStart, or twice")
            sendsToWindow = true
        case .leaveLayer:
            require(sendsToWindow && sendsToLayer, "the layer stops although the window receives no frames")
            sendsToLayer = false
        case .setActive(true):
            require(phase == .willStarted && !isPictureInPictureActive, "becomes active outside willStart and didStart")
            isPictureInPictureActive = true
        case .setActive(false):
            require(phase == .willStopped && isPictureInPictureActive, "becomes inactive outside willStop and didStop")
            isPictureInPictureActive = false
        case .callDidStart:
            require(phase == .willStarted && isPictureInPictureActive && !sendsToLayer, "didStart in the wrong phase")
            phase = .started
        case .callFailed:
            require(phase == .none || phase == .willStarted, "a failure is reported while Picture-in-Picture runs")
            require(
                !isPictureInPictureActive && !sendsToWindow && sendsToLayer && !hasWindow,
                "a failure keeps changed state")
            phase = .none
        case .callRestore:
            require(phase == .started, "restore is requested while Picture-in-Picture does not run")
            restoreCount += 1
            require(restoreCount == 1, "restore is requested twice in one stop")
        case .callWillStop(let reason):
            require(phase == .started, "willStop without didStart")
            phase = .willStopped
            stopReason = reason
            let isRestored = if case .restoreCompleted(_, true) = input { true } else { false }
            require((reason == .restored) == isRestored, "the stop reason does not match the restore result")
        case .returnToLayer(let isAnimated):
            let mayBeAnimated = stopReason == .restored || input == .shown
            require(
                !isAnimated || mayBeAnimated,
                "the return is animated without a restore and without a stop during the start")
            require(sendsToWindow, "frames return to the layer although the window received none")
            (sendsToWindow, sendsToLayer) = (false, true)
        case .closeWindow:
            // A window that is granted too late is closed too.
            require(hasWindow || input == .granted, "the window is closed twice")
            hasWindow = false
        case .callDidStop(let reason):
            require(phase == .willStopped && reason == stopReason, "didStop without a matching willStop")
            require(
                !isPictureInPictureActive && sendsToLayer && !sendsToWindow && !hasWindow,
                "didStop before everything is restored")
            (phase, restoreCount, stopReason) = (.none, 0, nil)
        case .pausePlayer:
            require(isClosePending, "the player is paused without a close")
            isClosePending = false
        case .awaitReturn:
            let isAnimated = stopReason == .restored || input == .shown
            require(phase == .willStopped && isAnimated && !hasWindow, "waits for a return without animation")
        case .log: break
        }
    }

    /// Checks that the machine's state agrees with the recorded inputs and actions.
    mutating func check(_ state: PictureInPictureMachine.State) {
        require((state == .idle) == matchesInitialState, "idle does not match the initial state")
        require(phase != .willStopped || state == .returning, "a stop is incomplete")
        switch state {
        case .idle: require(phase == .none, "idle with a missing delegate call")
        case .requesting: require(phase == .none && hasWindow, "requesting without a window or within a start")
        case .starting:
            require(
                phase == .willStarted && sendsToWindow && sendsToLayer, "starting without frames in window and layer")
        case .returning:
            require(
                phase == .willStopped && sendsToLayer && !sendsToWindow && !hasWindow && isPictureInPictureActive,
                "the return ended before the layer has the frames back and the window is closed")
        case .active, .restoring:
            require(
                phase == .started && sendsToWindow && !sendsToLayer && isPictureInPictureActive,
                "active without frames in the window")
        }
    }

    /// Records the violation of a rule unless `holds` is true.
    mutating func require(_ holds: Bool, _ violation: String) { if !holds { violations.append(violation) } }
}
