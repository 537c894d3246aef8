import Testing

@testable import SwiftPlayKit

@Suite struct PictureInPictureMachineTests {
    private typealias Action = PictureInPictureMachine.Action

    /// The actions when the compositor has permitted the floating window.
    private static let openingActions: [Action] = [.callWillStart, .openWindow]
    /// The actions when the floating window has shown its first frame.
    private static let startedActions: [Action] = [.leaveLayer, .setActive(true), .callDidStart]
    /// Returns the actions at the end of Picture-in-Picture. With `isAnimated`, the window returns to the layer in an
    /// animation.
    private static func endingActions(
        _ reason: PictureInPictureStopReason, hasCompositor: Bool = true, isAnimated: Bool = false
    )
        -> [Action]
    {
        [.callWillStop(reason), .returnToLayer(isAnimated: isAnimated)] + (hasCompositor ? [.closeWindow] : [])
            + (isAnimated ? [.awaitReturn(attempt: 1)] : [.setActive(false), .callDidStop(reason)])
    }
    /// The actions when the floating window has returned to the layer.
    private static let returnedActions: [Action] = [.setActive(false), .callDidStop(.restored)]

    /// Returns a Picture-in-Picture machine that has received the inputs.
    private static func machine(after inputs: PictureInPictureMachine.Input...) -> PictureInPictureMachine {
        var machine = PictureInPictureMachine()
        for input in inputs { _ = machine.handle(input) }
        return machine
    }

    /// A machine whose Picture-in-Picture is active.
    private static var activeMachine: PictureInPictureMachine {
        machine(after: .start(isPossible: true), .granted, .shown)
    }

    @Test func startOpensTheWindowAndThenLeavesTheLayer() {
        var machine = PictureInPictureMachine()
        #expect(machine.handle(.start(isPossible: true)) == [.requestWindow(attempt: 1)])
        #expect(machine.handle(.granted) == Self.openingActions)
        #expect(machine.handle(.shown) == Self.startedActions)
        #expect(machine.state == .active)
    }

    @Test func anImpossibleStartFailsWithoutWillStart() {
        var machine = PictureInPictureMachine()
        let actions = machine.handle(.start(isPossible: false))
        #expect(actions.count == 1)
        guard case .callFailed = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(machine.state == .idle)
    }

    @Test func aRefusedStartFailsWithoutWillStart() {
        var machine = Self.machine(after: .start(isPossible: true))
        #expect(machine.handle(.refused("no display")) == [.closeWindow, .callFailed("no display")])
        #expect(machine.state == .idle)
    }

    @Test(arguments: [
        PictureInPictureMachine.Input.failed("x"), .refused("x"), .lost, .replaced, .windowClosed, .sourceReleased,
        .timedOut(attempt: 1),
    ])
    func aFailureAfterWillStartReturnsFramesToTheLayerWithoutStopCalls(_ input: PictureInPictureMachine.Input) {
        var machine = Self.machine(after: .start(isPossible: true), .granted)
        let actions = machine.handle(input)
        let expected: [Action] = [.returnToLayer(isAnimated: false)] + (input == .lost ? [] : [.closeWindow])
        #expect(actions.dropLast() == expected[...])
        #expect(actions.last.map { if case .callFailed = $0 { true } else { false } } == true)
        #expect(machine.state == .idle)
    }

    @Test(arguments: [true, false]) func restoreComesBeforeTheStop(_ isRestored: Bool) {
        var machine = Self.activeMachine
        #expect(machine.handle(.stop) == [.callRestore(request: 1)])
        let endActions = Self.endingActions(isRestored ? .restored : .stopped, isAnimated: isRestored)
        #expect(machine.handle(.restoreCompleted(request: 1, isRestored)) == endActions)
        if isRestored { #expect(machine.state == .returning && machine.handle(.stopped) == Self.returnedActions) }
        #expect(machine.state == .idle)
    }

    @Test(arguments: [
        PictureInPictureMachine.Input.lost, .sourceReleased, .returnTimedOut(attempt: 1), .start(isPossible: true),
    ])
    func theEndOfTheReturnAnimationEndsTheStop(_ input: PictureInPictureMachine.Input) {
        var machine = Self.machine(
            after: .start(isPossible: true), .granted, .shown, .stop, .restoreCompleted(request: 1, true))
        for ignoredInput in [
            PictureInPictureMachine.Input.stop, .close, .shown, .replaced, .windowClosed, .refused("x"), .failed("x"),
            .timedOut(attempt: 1),
            .returnTimedOut(attempt: 0), .restoreTimedOut(request: 1),
        ] {
            #expect(machine.handle(ignoredInput) == [] && machine.state == .returning, "\(ignoredInput)")
        }
        let actions = machine.handle(input).filter { if case .log = $0 { false } else { true } }
        #expect(
            actions == Self.returnedActions + (input == .start(isPossible: true) ? [.requestWindow(attempt: 2)] : []))
        #expect(machine.handle(.stopped) == [])
    }

    @Test func restoreIsRequestedOncePerStop() {
        var machine = Self.activeMachine
        _ = machine.handle(.stop)
        #expect(machine.handle(.stop) == [])
        #expect(machine.state == .restoring(request: 1))
    }

    @Test func repeatedAndLateRestoreResultsChangeNothing() {
        var machine = Self.activeMachine
        _ = machine.handle(.stop)
        _ = machine.handle(.restoreCompleted(request: 1, false))
        let stoppedMachine = machine
        for isRestored in [true, false] {
            let actions = machine.handle(.restoreCompleted(request: 1, isRestored))
            #expect(actions.allSatisfy { if case .log = $0 { true } else { false } })
            #expect(machine == stoppedMachine)
        }
        #expect(
            machine.handle(.restoreTimedOut(request: 1)) == [] && machine == stoppedMachine,
            "the time limit has no effect after the result")
    }

    @Test func theResultOfAnOlderRestoreRequestDoesNotEndANewStop() {
        var machine = Self.activeMachine
        for input in [
            PictureInPictureMachine.Input.stop, .close, .stopped, .start(isPossible: true), .granted, .shown, .stop,
        ] { _ = machine.handle(input) }
        #expect(machine.state == .restoring(request: 2))
        _ = machine.handle(.restoreCompleted(request: 1, true))
        #expect(machine.state == .restoring(request: 2))
        #expect(machine.handle(.restoreCompleted(request: 2, true)).first == .callWillStop(.restored))
    }

    @Test func closePausesWithoutRestore() {
        var machine = Self.activeMachine
        #expect(machine.handle(.close) == [.pausePlayer] + Self.endingActions(.closed))
        #expect(machine.state == .idle)
    }

    @Test func closeEndsAPendingRestore() {
        var machine = Self.activeMachine
        _ = machine.handle(.stop)
        #expect(machine.handle(.close) == [.pausePlayer] + Self.endingActions(.closed))
    }

    @Test(arguments: [false, true]) func aLostCompositorStopsWithoutPausing(_ isRestoring: Bool) {
        for input in [PictureInPictureMachine.Input.lost, .windowClosed, .stopped] {
            var machine = Self.activeMachine
            if isRestoring { _ = machine.handle(.stop) }
            #expect(machine.handle(input) == Self.endingActions(.failed, hasCompositor: input != .lost))
        }
    }

    @Test func aReplacementByAnotherWindowStopsWithoutRestore() {
        var machine = Self.activeMachine
        #expect(machine.handle(.replaced) == Self.endingActions(.replaced))
    }

    @Test func losingTheContentSourceStopsPictureInPicture() {
        var machine = Self.activeMachine
        #expect(machine.handle(.sourceReleased) == Self.endingActions(.ended))
    }

    @Test func aSecondStartDoesNothing() {
        for inputs: [PictureInPictureMachine.Input] in [
            [], [.granted], [.granted, .shown], [.granted, .shown, .stop],
        ] {
            var machine = Self.machine(after: .start(isPossible: true))
            for input in inputs { _ = machine.handle(input) }
            let previousMachine = machine
            #expect(machine.handle(.start(isPossible: true)) == [] && machine.handle(.start(isPossible: false)) == [])
            #expect(machine == previousMachine)
        }
    }

    @Test func inputsHaveNoEffectWhileIdle() {
        var machine = PictureInPictureMachine()
        for input in [
            PictureInPictureMachine.Input.stop, .close, .shown, .lost, .replaced, .windowClosed, .sourceReleased,
            .failed("x"), .refused("x"), .stopped, .timedOut(attempt: 0),
            .restoreTimedOut(request: 0), .becamePossible,
        ] {
            #expect(machine.handle(input) == [], "\(input)")
            #expect(machine == PictureInPictureMachine())
        }
    }

    @Test func aStopDuringTheStartWaitsForDidStart() {
        var machine = Self.machine(after: .start(isPossible: true), .granted)
        #expect(machine.handle(.stop) == [])
        let actions = machine.handle(.shown)
        #expect(actions.prefix(3) == Self.startedActions[...])
        #expect(actions.dropFirst(3).first.map { if case .callWillStop = $0 { true } else { false } } == true)
        #expect(machine.handle(.stopped) == [.setActive(false), .callDidStop(.stopped)])
        #expect(machine.state == .idle)
    }

    @Test func aRestoreThatTimesOutCountsAsNotRestored() {
        var machine = Self.activeMachine
        _ = machine.handle(.stop)
        #expect(machine.handle(.restoreTimedOut(request: 1)).dropFirst() == Self.endingActions(.stopped)[...])
    }

    @Test func onlyAnOpenWindowCanBeStopped() {
        var machine = PictureInPictureMachine()
        var canStopValues: [Bool] = []
        let inputs: [PictureInPictureMachine.Input] = [
            .start(isPossible: true), .granted, .shown, .stop, .restoreCompleted(request: 1, true), .stopped,
        ]
        for input in inputs {
            _ = machine.handle(input)
            canStopValues.append(machine.canStop)
        }
        #expect(canStopValues == [false, false, true, false, false, false])
    }

    @Test func aStopBeforeTheWindowIsGrantedFailsTheStartAndClosesTheLateWindow() {
        var machine = Self.machine(after: .start(isPossible: true))
        let actions = machine.handle(.stop)
        #expect(actions.first == .closeWindow && actions.count == 2)
        #expect(machine.state == .idle)
        #expect(machine.handle(.granted) == [], "the close request has already been sent")
        _ = machine.handle(.stopped)
        #expect(machine.handle(.granted) == [.closeWindow])
    }

    @Test func eventsOfAClosedWindowDoNotAffectTheNextWindow() {
        var machine = Self.activeMachine
        _ = machine.handle(.close)
        #expect(machine.handle(.start(isPossible: true)) == [.requestWindow(attempt: 2)])
        for input in [PictureInPictureMachine.Input.shown, .replaced, .windowClosed, .refused("x"), .granted] {
            #expect(machine.handle(input) == [] && machine.state == .requesting, "\(input)")
        }
        #expect(!machine.hasWindow)
        #expect(machine.handle(.stopped) == [])
        #expect(machine.handle(.granted) == Self.openingActions)
        #expect(machine.hasWindow)
    }

    @Test func theTimeLimitOfAnOlderStartDoesNotAffectTheNextStart() {
        var machine = Self.machine(after: .start(isPossible: true), .stop, .start(isPossible: true))
        #expect(machine.handle(.timedOut(attempt: 1)) == [] && machine.state == .requesting)
        #expect(machine.handle(.timedOut(attempt: 2)).first == .closeWindow && machine.state == .idle)
    }

    @Test func aPendingStartBeginsWhenItBecomesPossible() {
        var machine = Self.machine(after: .startWhenPossible(isPossible: false))
        #expect(machine.handle(.becamePossible) == [.requestWindow(attempt: 1)])
        #expect(machine.handle(.becamePossible) == [], "the start runs only once")
        machine = Self.machine(after: .startWhenPossible(isPossible: false), .stop)
        #expect(machine.handle(.becamePossible) == [], "a stop cancels the pending start")
        machine = PictureInPictureMachine()
        #expect(machine.handle(.startWhenPossible(isPossible: true)) == [.requestWindow(attempt: 1)])
    }
}
