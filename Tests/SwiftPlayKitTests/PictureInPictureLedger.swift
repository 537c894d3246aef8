@testable import SwiftPlayKit

/// What a program was told so far and what it is owed: the promises of Picture-in-Picture as bookkeeping, independent
/// of the machine.
struct PictureInPictureLedger: Hashable {
    enum Phase { case none, willStarted, started, willStopped }

    private(set) var phase = Phase.none
    private(set) var isActive = false
    /// A window was asked for and neither closed nor taken away.
    private(set) var holdsWindow = false
    /// Frames go to the window.
    private(set) var feedsWindow = false
    private(set) var feedsLayer = true
    private var restores = 0
    private var isCloseOwed = false
    private var reason: PictureInPictureStopReason?
    private(set) var complaints: [String] = []

    var isClean: Bool { phase == .none && !isActive && !holdsWindow && !feedsWindow && feedsLayer && restores == 0 }

    mutating func hear(_ input: PictureInPictureMachine.Input) {
        switch input {
        // Its windows are gone with it.
        case .lost: holdsWindow = false
        // A close that came before the window was there is done when it is.
        case .close: isCloseOwed = phase == .willStarted || phase == .started
        default: break
        }
        if phase == .none { isCloseOwed = false }
    }

    mutating func note(_ action: PictureInPictureMachine.Action, after input: PictureInPictureMachine.Input) {
        switch action {
        case .requestWindow:
            demand(phase == .none && !holdsWindow, "a window is asked for twice")
            holdsWindow = true
        case .callWillStart:
            demand(phase == .none && holdsWindow, "willStart out of turn")
            phase = .willStarted
        case .openWindow:
            demand(phase == .willStarted && !feedsWindow, "the window is fed before willStart, or twice")
            feedsWindow = true
        case .leaveLayer:
            demand(feedsWindow && feedsLayer, "the layer is left for nothing")
            feedsLayer = false
        case .setActive(true):
            demand(phase == .willStarted && !isActive, "active not between willStart and didStart")
            isActive = true
        case .setActive(false):
            demand(phase == .willStopped && isActive, "inactive not between willStop and didStop")
            isActive = false
        case .callDidStart:
            demand(phase == .willStarted && isActive && !feedsLayer, "didStart out of turn")
            phase = .started
        case .callFailed:
            demand(phase == .none || phase == .willStarted, "a failure of something that runs")
            demand(!isActive && !feedsWindow && feedsLayer && !holdsWindow, "a failure leaves something behind")
            phase = .none
        case .callRestore:
            demand(phase == .started, "restore is asked for while nothing runs")
            restores += 1
            demand(restores == 1, "restore is asked for twice in one stop")
        case .callWillStop(let why):
            demand(phase == .started, "willStop without didStart")
            phase = .willStopped
            reason = why
            let isRestored = if case .restoreAnswered(_, true) = input { true } else { false }
            demand((why == .restored) == isRestored, "a stop counts as restored that was not, or the other way round")
        case .returnToLayer(let flies):
            let mayFly = reason == .restored || input == .shown
            demand(!flies || mayFly, "a window flies back that was not restored, nor stopped as it opened")
            demand(feedsWindow, "frames return that were not away")
            (feedsWindow, feedsLayer) = (false, true)
        case .closeWindow:
            // One that comes after all is given back too.
            demand(holdsWindow || input == .granted, "a window is given back twice")
            holdsWindow = false
        case .callDidStop(let why):
            demand(phase == .willStopped && why == reason, "didStop without its willStop")
            demand(!isActive && feedsLayer && !feedsWindow && !holdsWindow, "didStop before everything is back")
            (phase, restores, reason) = (.none, 0, nil)
        case .pausePlayer:
            demand(isCloseOwed, "the player is paused though nobody closed")
            isCloseOwed = false
        case .awaitLanding:
            let flies = reason == .restored || input == .shown
            demand(phase == .willStopped && flies && !holdsWindow, "a window is waited for that does not fly back")
        case .note: break
        }
    }

    mutating func settle(_ state: PictureInPictureMachine.State) {
        demand((state == .idle) == isClean, "idle and clean are not the same")
        demand(phase != .willStopped || state == .landing, "a stop is left half done")
        switch state {
        case .idle: demand(phase == .none, "idle with a call owed")
        case .requesting: demand(phase == .none && holdsWindow, "requesting with a call owed")
        case .starting: demand(phase == .willStarted && feedsWindow && feedsLayer, "starting without both places fed")
        case .landing:
            demand(
                phase == .willStopped && feedsLayer && !feedsWindow && !holdsWindow && isActive,
                "landing with something not back")
        case .active, .restoring:
            demand(phase == .started && feedsWindow && !feedsLayer && isActive, "active without a window that is fed")
        }
    }

    mutating func demand(_ holds: Bool, _ complaint: String) { if !holds { complaints.append(complaint) } }
}
