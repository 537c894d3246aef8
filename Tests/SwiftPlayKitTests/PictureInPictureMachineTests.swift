import Testing

@testable import SwiftPlayKit

@Suite struct PictureInPictureMachineTests {
    private typealias Action = PictureInPictureMachine.Action

    private static let opening: [Action] = [.callWillStart, .openWindow]
    private static let begun: [Action] = [.leaveLayer, .setActive(true), .callDidStart]
    private static func ending(_ reason: PictureInPictureStopReason, hasCompositor: Bool = true, flies: Bool = false)
        -> [Action]
    {
        [.callWillStop(reason), .returnToLayer(flies: flies)] + (hasCompositor ? [.closeWindow] : [])
            + (flies ? [.awaitLanding(attempt: 1)] : [.setActive(false), .callDidStop(reason)])
    }
    private static let landed: [Action] = [.setActive(false), .callDidStop(.restored)]

    private static func machine(after inputs: PictureInPictureMachine.Input...) -> PictureInPictureMachine {
        var machine = PictureInPictureMachine()
        for input in inputs { _ = machine.handle(input) }
        return machine
    }

    private static var active: PictureInPictureMachine { machine(after: .start(isPossible: true), .granted, .shown) }

    @Test func startOpensTheWindowAndThenLeavesTheLayer() {
        var machine = PictureInPictureMachine()
        #expect(machine.handle(.start(isPossible: true)) == [.requestWindow(attempt: 1)])
        #expect(machine.handle(.granted) == Self.opening)
        #expect(machine.handle(.shown) == Self.begun)
        #expect(machine.state == .active)
    }

    @Test func whatIsNotPossibleFailsWithoutWillStart() {
        var machine = PictureInPictureMachine()
        let actions = machine.handle(.start(isPossible: false))
        #expect(actions.count == 1)
        guard case .callFailed = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(machine.state == .idle)
    }

    @Test func aRefusalFailsWithoutWillStart() {
        var machine = Self.machine(after: .start(isPossible: true))
        #expect(machine.handle(.refused("no display")) == [.closeWindow, .callFailed("no display")])
        #expect(machine.state == .idle)
    }

    @Test(arguments: [
        PictureInPictureMachine.Input.failed("x"), .refused("x"), .lost, .replaced, .windowGone, .sourceGone,
        .timedOut(attempt: 1),
    ])
    func aFailureAfterWillStartGivesTheFramesBackAndStopsNothing(_ input: PictureInPictureMachine.Input) {
        var machine = Self.machine(after: .start(isPossible: true), .granted)
        let actions = machine.handle(input)
        let expected: [Action] = [.returnToLayer(flies: false)] + (input == .lost ? [] : [.closeWindow])
        #expect(actions.dropLast() == expected[...])
        #expect(actions.last.map { if case .callFailed = $0 { true } else { false } } == true)
        #expect(machine.state == .idle)
    }

    @Test(arguments: [true, false]) func restoreComesBeforeTheStop(_ answer: Bool) {
        var machine = Self.active
        #expect(machine.handle(.stop) == [.callRestore(question: 1)])
        let ending = Self.ending(answer ? .restored : .stopped, flies: answer)
        #expect(machine.handle(.restoreAnswered(question: 1, answer)) == ending)
        if answer { #expect(machine.state == .landing && machine.handle(.stopped) == Self.landed) }
        #expect(machine.state == .idle)
    }

    @Test(arguments: [
        PictureInPictureMachine.Input.lost, .sourceGone, .landingTimedOut(attempt: 1), .start(isPossible: true),
    ])
    func whatEndsAFlightEndsTheStop(_ input: PictureInPictureMachine.Input) {
        var machine = Self.machine(
            after: .start(isPossible: true), .granted, .shown, .stop, .restoreAnswered(question: 1, true))
        for other in [
            PictureInPictureMachine.Input.stop, .close, .shown, .replaced, .windowGone, .refused("x"), .failed("x"),
            .timedOut(attempt: 1),
            .landingTimedOut(attempt: 0), .restoreTimedOut(question: 1),
        ] {
            #expect(machine.handle(other) == [] && machine.state == .landing, "\(other)")
        }
        let actions = machine.handle(input).filter { if case .note = $0 { false } else { true } }
        #expect(actions == Self.landed + (input == .start(isPossible: true) ? [.requestWindow(attempt: 2)] : []))
        #expect(machine.handle(.stopped) == [])
    }

    @Test func aRestoreIsAskedForOnceAStop() {
        var machine = Self.active
        _ = machine.handle(.stop)
        #expect(machine.handle(.stop) == [])
        #expect(machine.state == .restoring(question: 1))
    }

    @Test func aSecondAnswerAndALateOneChangeNothing() {
        var machine = Self.active
        _ = machine.handle(.stop)
        _ = machine.handle(.restoreAnswered(question: 1, false))
        let after = machine
        for answer in [true, false] {
            let actions = machine.handle(.restoreAnswered(question: 1, answer))
            #expect(actions.allSatisfy { if case .note = $0 { true } else { false } })
            #expect(machine == after)
        }
        #expect(machine.handle(.restoreTimedOut(question: 1)) == [] && machine == after, "its time limit is over, too")
    }

    @Test func theAnswerToAnOlderQuestionDoesNotEndANewStop() {
        var machine = Self.active
        for input in [
            PictureInPictureMachine.Input.stop, .close, .stopped, .start(isPossible: true), .granted, .shown, .stop,
        ] { _ = machine.handle(input) }
        #expect(machine.state == .restoring(question: 2))
        _ = machine.handle(.restoreAnswered(question: 1, true))
        #expect(machine.state == .restoring(question: 2))
        #expect(machine.handle(.restoreAnswered(question: 2, true)).first == .callWillStop(.restored))
    }

    @Test func closeAsksForNoRestoreAndPauses() {
        var machine = Self.active
        #expect(machine.handle(.close) == [.pausePlayer] + Self.ending(.closed))
        #expect(machine.state == .idle)
    }

    @Test func closeEndsAPendingRestore() {
        var machine = Self.active
        _ = machine.handle(.stop)
        #expect(machine.handle(.close) == [.pausePlayer] + Self.ending(.closed))
    }

    @Test(arguments: [false, true]) func aLostCompositorStopsWithoutPausing(_ isRestoring: Bool) {
        for input in [PictureInPictureMachine.Input.lost, .windowGone, .stopped] {
            var machine = Self.active
            if isRestoring { _ = machine.handle(.stop) }
            #expect(machine.handle(input) == Self.ending(.failed, hasCompositor: input != .lost))
        }
    }

    @Test func anotherControllerEndsTheFirstWithoutRestore() {
        var machine = Self.active
        #expect(machine.handle(.replaced) == Self.ending(.replaced))
    }

    @Test func withoutAPictureItEnds() {
        var machine = Self.active
        #expect(machine.handle(.sourceGone) == Self.ending(.ended))
    }

    @Test func aSecondStartDoesNothing() {
        for inputs: [PictureInPictureMachine.Input] in [
            [], [.granted], [.granted, .shown], [.granted, .shown, .stop],
        ] {
            var machine = Self.machine(after: .start(isPossible: true))
            for input in inputs { _ = machine.handle(input) }
            let before = machine
            #expect(machine.handle(.start(isPossible: true)) == [] && machine.handle(.start(isPossible: false)) == [])
            #expect(machine == before)
        }
    }

    @Test func whatIsIdleIsNotStopped() {
        var machine = PictureInPictureMachine()
        for input in [
            PictureInPictureMachine.Input.stop, .close, .shown, .lost, .replaced, .windowGone, .sourceGone,
            .failed("x"), .refused("x"), .stopped, .timedOut(attempt: 0),
            .restoreTimedOut(question: 0), .becamePossible,
        ] {
            #expect(machine.handle(input) == [], "\(input)")
            #expect(machine == PictureInPictureMachine())
        }
    }

    @Test func aStopDuringTheStartWaitsForDidStart() {
        var machine = Self.machine(after: .start(isPossible: true), .granted)
        #expect(machine.handle(.stop) == [])
        let actions = machine.handle(.shown)
        #expect(actions.prefix(3) == Self.begun[...])
        #expect(actions.dropFirst(3).first.map { if case .callWillStop = $0 { true } else { false } } == true)
        #expect(machine.handle(.stopped) == [.setActive(false), .callDidStop(.stopped)])
        #expect(machine.state == .idle)
    }

    @Test func aRestoreThatIsNotAnsweredInTimeIsNone() {
        var machine = Self.active
        _ = machine.handle(.stop)
        #expect(machine.handle(.restoreTimedOut(question: 1)).dropFirst() == Self.ending(.stopped)[...])
    }

    @Test func onlyAnOpenWindowCanBeStopped() {
        var machine = PictureInPictureMachine()
        var seen: [Bool] = []
        let inputs: [PictureInPictureMachine.Input] = [
            .start(isPossible: true), .granted, .shown, .stop, .restoreAnswered(question: 1, true), .stopped,
        ]
        for input in inputs {
            _ = machine.handle(input)
            seen.append(machine.canStop)
        }
        #expect(seen == [false, false, true, false, false, false])
    }

    @Test func aStopBeforeTheWindowIsGrantedFailsAndGivesTheLateWindowBack() {
        var machine = Self.machine(after: .start(isPossible: true))
        let actions = machine.handle(.stop)
        #expect(actions.first == .closeWindow && actions.count == 2)
        #expect(machine.state == .idle)
        #expect(machine.handle(.granted) == [], "it was given back before it came")
        _ = machine.handle(.stopped)
        #expect(machine.handle(.granted) == [.closeWindow])
    }

    @Test func whatIsSaidOfAWindowThatWasGivenBackDoesNotTouchTheNext() {
        var machine = Self.active
        _ = machine.handle(.close)
        #expect(machine.handle(.start(isPossible: true)) == [.requestWindow(attempt: 2)])
        for input in [PictureInPictureMachine.Input.shown, .replaced, .windowGone, .refused("x"), .granted] {
            #expect(machine.handle(input) == [] && machine.state == .requesting, "\(input)")
        }
        #expect(!machine.hasWindow)
        #expect(machine.handle(.stopped) == [])
        #expect(machine.handle(.granted) == Self.opening)
        #expect(machine.hasWindow)
    }

    @Test func theTimeLimitOfAnOlderStartIsNotThatOfTheNext() {
        var machine = Self.machine(after: .start(isPossible: true), .stop, .start(isPossible: true))
        #expect(machine.handle(.timedOut(attempt: 1)) == [] && machine.state == .requesting)
        #expect(machine.handle(.timedOut(attempt: 2)).first == .closeWindow && machine.state == .idle)
    }

    @Test func aStartThatWaitsBeginsWhenItIsPossible() {
        var machine = Self.machine(after: .startWhenPossible(isPossible: false))
        #expect(machine.handle(.becamePossible) == [.requestWindow(attempt: 1)])
        #expect(machine.handle(.becamePossible) == [], "once")
        machine = Self.machine(after: .startWhenPossible(isPossible: false), .stop)
        #expect(machine.handle(.becamePossible) == [], "a stop takes it back")
        machine = PictureInPictureMachine()
        #expect(machine.handle(.startWhenPossible(isPossible: true)) == [.requestWindow(attempt: 1)])
    }
}
