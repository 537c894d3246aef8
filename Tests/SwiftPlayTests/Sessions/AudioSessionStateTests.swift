import AudioPolicy
import CompositorProtocol
import SystemCalls
import Testing

@testable import SwiftPlay

/// The parts of an audio session's state, without a connection and without threads.
@Suite struct AudioSessionStateTests {
    // MARK: the dialogue with the compositor

    private typealias Dialogue = AudioSession.Dialogue

    private func question(_ request: AudioRequest = .activate(hasGesture: false)) -> AudioSession.Question {
        AudioSession.Question(request: request) { _ in }
    }

    /// A dialogue in each state of its connection, with what was asked before.
    private func dialogue(_ connection: AudioSession.Connection) -> Dialogue {
        var dialogue = Dialogue()
        switch connection {
        case .none: break
        case .open: _ = dialogue.open(with: question(.configure(.initial)))
        case .unavailable: _ = dialogue.becomeAlone()
        case .lost:
            _ = dialogue.open(with: question(.configure(.initial)))
            _ = dialogue.lose(isNowPlaying: false)
        }
        #expect(dialogue.connection == connection)
        return dialogue
    }

    private static let connections: [AudioSession.Connection] = [.none, .open, .unavailable, .lost]

    @Test(arguments: connections, [false, true])
    func aQuestionIsSentOrWaitsOrIsAnsweredHere(_ connection: AudioSession.Connection, outlastsLoss: Bool) {
        var dialogue = dialogue(connection)
        let asked = dialogue.asked.count, first = dialogue.submit(question(), outlastsLoss: outlastsLoss)
        let second = dialogue.submit(question(), outlastsLoss: outlastsLoss)
        let expected: [Dialogue.Submission] =
            switch connection {
            case .none: [.opens, .waits]
            case .open: [.isSent, .isSent]
            case .unavailable: [.isGrantedHere, .isGrantedHere]
            case .lost: outlastsLoss ? [.waits, .waits] : [.fails, .fails]
            }
        #expect([first, second] == expected)
        #expect(dialogue.asked.count == asked + expected.count { $0 == .isSent })
        #expect(dialogue.waiting.count == expected.count { $0 == .opens || $0 == .waits })
    }

    @Test(arguments: connections) func theConnectionIsRequestedOnce(_ connection: AudioSession.Connection) {
        var dialogue = dialogue(connection)
        let first = dialogue.request(), second = dialogue.request()
        #expect(first && !second && dialogue.isRequested)
    }

    @Test(arguments: connections) func aCompositorThatServesReceivesWhatWaited(_ connection: AudioSession.Connection) {
        var dialogue = dialogue(connection)
        while dialogue.takeAsked() != nil {}
        for request in [AudioRequest.activate(hasGesture: true), .deactivate(isNotified: true)] {
            _ = dialogue.submit(question(request), outlastsLoss: true)
        }
        let wait = connection == .none || connection == .lost
        let (requests, wasLost) = dialogue.open(with: question(.configure(.initial)))
        #expect(requests == (wait ? [.activate(hasGesture: true), .deactivate(isNotified: true)] : []))
        #expect(wasLost == (connection != .none) && dialogue.connection == .open && dialogue.waiting.isEmpty)
        // Answers come in the order of the questions.
        guard connection != .open else { return }
        var order: [AudioRequest] = []
        while let next = dialogue.takeAsked() { order.append(next.request) }
        #expect(order == [.configure(.initial)] + requests)
    }

    @Test(arguments: connections)
    func withoutACompositorEveryQuestionIsAnswered(_ connection: AudioSession.Connection) {
        var dialogue = dialogue(connection)
        while dialogue.takeAsked() != nil {}
        _ = dialogue.submit(question(), outlastsLoss: true)
        let open = connection == .unavailable ? 0 : 1
        let (questions, wasLost) = dialogue.becomeAlone()
        #expect(questions.count == open && wasLost == (connection == .lost))
        #expect(dialogue.connection == .unavailable && dialogue.isAcquainted && !dialogue.hasHeadStart)
        #expect(dialogue.asked.isEmpty && dialogue.waiting.isEmpty)
    }

    @Test(arguments: connections)
    func aCompositorThatRefusesAnswersEveryQuestion(_ connection: AudioSession.Connection) {
        var dialogue = dialogue(connection)
        while dialogue.takeAsked() != nil {}
        _ = dialogue.submit(question(), outlastsLoss: true)
        let open = connection == .unavailable ? 0 : 1
        let (questions, wasAlone) = dialogue.refuse()
        #expect(questions.count == open && wasAlone == (connection == .unavailable))
        #expect(dialogue.connection == (connection == .unavailable ? .lost : connection) && dialogue.isAcquainted)
        #expect(dialogue.asked.isEmpty && dialogue.waiting.isEmpty)
        // Before the first answer the connection may be requested again.
        if connection == .none { #expect(!dialogue.isRequested) }
    }

    @Test(arguments: connections, [false, true])
    func onlyAnOpenConnectionIsLost(_ connection: AudioSession.Connection, isNowPlaying: Bool) {
        var dialogue = dialogue(connection)
        let losses = dialogue.losses, asked = dialogue.asked.count
        let questions = dialogue.lose(isNowPlaying: isNowPlaying)
        guard connection == .open else {
            #expect(questions == nil && dialogue.connection == connection && dialogue.losses == losses)
            return
        }
        #expect(questions?.count == asked && dialogue.asked.isEmpty)
        #expect(dialogue.connection == .lost && dialogue.losses == losses + 1)
        let first = dialogue.takeHeadStart(), second = dialogue.takeHeadStart()
        #expect(first == isNowPlaying && !second)
    }

    @Test func theFirstQuestionAboutOthersBeginsTheTimeThatAllMayWait() {
        var dialogue = Dialogue()
        let first = dialogue.acquaintanceEnd(now: 100, patience: 50)
        let second = dialogue.acquaintanceEnd(now: 140, patience: 50)
        #expect(first == 150 && second == 150)
    }

    // MARK: what was granted

    @Test func aGrantEndsAnInterruptionAndAnInterruptionEndsAGrant() {
        var granted = AudioSession.Granted()
        granted.activate(duckedAt: 7)
        #expect(granted.isActive && !granted.isInterrupted && granted.duckCompleteTime == 7)
        granted.interrupt()
        #expect(!granted.isActive && granted.isInterrupted)
        granted.activate(duckedAt: 8)
        #expect(granted.isActive && !granted.isInterrupted)
        granted.interrupt()
        granted.endInterruption()
        #expect(!granted.isActive && !granted.isInterrupted)
        granted.activateAlone()
        granted.prepareDeactivation()
        #expect(!granted.isActive)
        granted.interrupt()
        granted.deactivate()
        #expect(!granted.isActive && !granted.isInterrupted)
    }

    @Test func aCompositorIsToldOnlyWhatItDoesNotAssume() throws {
        var wanted = AudioSession.Wanted()
        #expect(wanted.declarations == [])
        wanted.allowsBackgroundPlayback = false
        #expect(wanted.declarations == [])
        (wanted.presence, wanted.prefersNoInterruptions) = (.background, true)
        wanted.prefersInterruptionOnRouteDisconnect = false
        #expect(
            wanted.declarations == [
                .presence(.background), .prefersNoInterruptions(true), .prefersInterruptionOnRouteDisconnect(false),
            ])
    }

    // MARK: claims

    @Test("the last player that gives the session back releases it, unless the program holds it")
    func claims() {
        var claims = AudioSession.Claims()
        let one = claims.add(.init { _ in }), two = claims.add(.init { _ in })
        let neverHeld = claims.giveBack(one)
        #expect(!neverHeld)
        claims.hold(one)
        claims.hold(two)
        let first = claims.giveBack(one), again = claims.giveBack(one), last = claims.giveBack(two)
        #expect(!first && !again && last)
        claims.hold(one)
        claims.isHeldByProgram = true
        let ofProgram = claims.giveBack(one), ofNobody = claims.giveBack(99)
        #expect(!ofProgram && !ofNobody)
        claims.hold(two)
        claims.isHeldByProgram = false
        // A claim that was refused is no hold.
        claims.drop(two)
        let refused = claims.giveBack(two)
        #expect(!refused)
        claims.remove(one)
        #expect(claims.all.count == 1 && claims[one] == nil && claims[two] != nil)
    }

    @Test("the session runs while any player is heard, and only changes are reported")
    func running() {
        var claims = AudioSession.Claims()
        let one = claims.add(.init { _ in }), two = claims.add(.init { _ in })
        var reports: [Bool?] = []
        for (isRunning, player) in [
            (false, one), (true, one), (true, two), (true, one), (false, one), (false, two), (false, two), (true, 99),
        ] {
            reports.append(claims.setRunning(isRunning, of: player))
        }
        #expect(reports == [nil, true, nil, nil, nil, false, nil, nil] && !claims.isRunning)
    }

    // MARK: observers and routes

    @Test func observersAreCalledInTheirOrderUntilTheyAreRemoved() {
        var observers = AudioSession.Observers()
        let called = Monitor<[Int]>([])
        let numbers = (0..<3).map { number in observers.add { _ in called.update { $0.append(number) } } }
        let category = observers.addOfCategory { called.update { $0.append(9) } }
        #expect(Set(numbers + [category]).count == 4)
        observers.remove(numbers[1])
        for observer in observers.all { observer(.mediaServicesWereLost) }
        for observer in observers.ofCategory { observer() }
        observers.remove(category)
        #expect(called.withLock { $0 } == [0, 2, 9] && observers.ofCategory.isEmpty && observers.all.count == 2)
    }

    @Test func aWatcherReceivesNoValueTwiceInARow() {
        var observers = AudioSession.Observers()
        let before = observers.takeWatcher(of: true) != nil
        observers.watchNowPlaying { _ in }
        let calls = [false, true, true, false, false, true].map { observers.takeWatcher(of: $0) != nil }
        #expect(!before && calls == [false, true, false, true, false, true])
        // A new watcher begins anew.
        observers.watchNowPlaying { _ in }
        let anew = observers.takeWatcher(of: true) != nil
        #expect(anew)
    }

    @Test func aDeviceOfThePlayersOwnCoversTheCompositorsRoute() {
        let server = AudioRoute(alsaDevice: "hw:0"), own = AudioRoute(alsaDevice: "hw:1")
        var output = AudioSession.Output()
        output.route = server
        let first = output.move(to: own)
        #expect(first == server && output.current == own)
        let second = output.move(to: nil)
        #expect(second == own && output.current == server)
    }

    @Test func onlyADeviceOfAnotherFormIsAChange() {
        var output = AudioSession.Output()
        var device = AudioSession.Device(sampleRate: 48_000, channels: 2, period: 0.015, latency: 0)
        var changes = [output.open(device)]
        device.latency = 1
        changes.append(output.open(device))
        for change in [\AudioSession.Device.sampleRate, \.period] {
            device[keyPath: change] *= 2
            changes.append(output.open(device))
        }
        device.channels = 6
        changes.append(output.open(device))
        #expect(changes == [false, false, true, true, true])
    }

    @Test func eachRequestForAnotherOutputIsAnsweredOnceInOrder() {
        var output = AudioSession.Output()
        let answers = Monitor<[Int]>([])
        for number in 0..<3 { output.expectAnswer { _ in answers.update { $0.append(number) } } }
        output.takeAnswer()?(.done)
        for answer in output.takeAnswers() { answer(nil) }
        #expect(answers.withLock { $0 } == [0, 1, 2])
        let isOver = output.takeAnswer() == nil && output.takeAnswers().isEmpty
        #expect(isOver)
    }
}
