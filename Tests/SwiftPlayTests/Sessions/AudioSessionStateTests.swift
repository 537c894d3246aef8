import AudioPolicy
import CompositorProtocol
import SystemCalls
import Testing

@testable import SwiftPlay

/// Tests the parts of an audio session's state without a connection to the compositor and without threads.
@Suite struct AudioSessionStateTests {
    // MARK: Requests to the compositor

    private typealias RequestQueue = AudioSession.RequestQueue

    /// Returns a request that waits for a reply of the compositor.
    private func pendingRequest(_ request: AudioRequest = .activate(hasGesture: false)) -> AudioSession.PendingRequest {
        AudioSession.PendingRequest(request: request) { _ in }
    }

    /// Returns a request queue whose connection to the compositor is in the given state.
    private func queue(_ connection: AudioSession.Connection) -> RequestQueue {
        var queue = RequestQueue()
        switch connection {
        case .notEstablished: break
        case .open: _ = queue.open(with: pendingRequest(.configure(.initial)))
        case .unavailable: _ = queue.compositorBecameUnavailable()
        case .lost:
            _ = queue.open(with: pendingRequest(.configure(.initial)))
            _ = queue.connectionLost(isNowPlaying: false)
        }
        #expect(queue.connection == connection)
        return queue
    }

    private static let connections: [AudioSession.Connection] = [.notEstablished, .open, .unavailable, .lost]

    @Test(arguments: connections, [false, true])
    func requestIsSentOrQueuedOrGrantedLocally(_ connection: AudioSession.Connection, survivesDisconnect: Bool) {
        var queue = queue(connection)
        let sent = queue.pendingRequests.count,
            first = queue.submit(pendingRequest(), survivesDisconnect: survivesDisconnect)
        let second = queue.submit(pendingRequest(), survivesDisconnect: survivesDisconnect)
        let expected: [RequestQueue.Submission] =
            switch connection {
            case .notEstablished: [.opens, .waits]
            case .open: [.isSent, .isSent]
            case .unavailable: [.isGrantedLocally, .isGrantedLocally]
            case .lost: survivesDisconnect ? [.waits, .waits] : [.fails, .fails]
            }
        #expect([first, second] == expected)
        #expect(queue.pendingRequests.count == sent + expected.count { $0 == .isSent })
        #expect(queue.waiting.count == expected.count { $0 == .opens || $0 == .waits })
    }

    @Test(arguments: connections) func compositorConnectionIsRequestedOnce(_ connection: AudioSession.Connection) {
        var queue = queue(connection)
        let first = queue.requestConnection(), second = queue.requestConnection()
        #expect(first && !second && queue.isConnectionRequested)
    }

    @Test(arguments: connections) func openedConnectionSendsTheQueuedRequests(_ connection: AudioSession.Connection) {
        var queue = queue(connection)
        while queue.takePendingRequest() != nil {}
        for request in [AudioRequest.activate(hasGesture: true), .deactivate(notifiesOthers: true)] {
            _ = queue.submit(pendingRequest(request), survivesDisconnect: true)
        }
        let wait = connection == .notEstablished || connection == .lost
        let (requests, wasLost) = queue.open(with: pendingRequest(.configure(.initial)))
        #expect(requests == (wait ? [.activate(hasGesture: true), .deactivate(notifiesOthers: true)] : []))
        #expect(wasLost == (connection != .notEstablished) && queue.connection == .open && queue.waiting.isEmpty)
        // Replies arrive in the order of the requests.
        guard connection != .open else { return }
        var order: [AudioRequest] = []
        while let next = queue.takePendingRequest() { order.append(next.request) }
        #expect(order == [.configure(.initial)] + requests)
    }

    @Test(arguments: connections)
    func allRequestsAreAnsweredWithoutACompositor(_ connection: AudioSession.Connection) {
        var queue = queue(connection)
        while queue.takePendingRequest() != nil {}
        _ = queue.submit(pendingRequest(), survivesDisconnect: true)
        let open = connection == .unavailable ? 0 : 1
        let (removed, wasLost) = queue.compositorBecameUnavailable()
        #expect(removed.count == open && wasLost == (connection == .lost))
        #expect(queue.connection == .unavailable && queue.hasFirstReport && !queue.hasResetPriority)
        #expect(queue.pendingRequests.isEmpty && queue.waiting.isEmpty)
    }

    @Test(arguments: connections)
    func compositorRefusalAnswersAllRequests(_ connection: AudioSession.Connection) {
        var queue = queue(connection)
        while queue.takePendingRequest() != nil {}
        _ = queue.submit(pendingRequest(), survivesDisconnect: true)
        let open = connection == .unavailable ? 0 : 1
        let (removed, wasLocal) = queue.compositorRefused()
        #expect(removed.count == open && wasLocal == (connection == .unavailable))
        #expect(queue.connection == (connection == .unavailable ? .lost : connection) && queue.hasFirstReport)
        #expect(queue.pendingRequests.isEmpty && queue.waiting.isEmpty)
        // If the compositor refuses the first connection, the next request opens a connection again.
        if connection == .notEstablished { #expect(!queue.isConnectionRequested) }
    }

    @Test(arguments: connections, [false, true])
    func onlyAnOpenConnectionCanBeLost(_ connection: AudioSession.Connection, isNowPlaying: Bool) {
        var queue = queue(connection)
        let losses = queue.lossCount, sent = queue.pendingRequests.count
        let removed = queue.connectionLost(isNowPlaying: isNowPlaying)
        guard connection == .open else {
            #expect(removed == nil && queue.connection == connection && queue.lossCount == losses)
            return
        }
        #expect(removed?.count == sent && queue.pendingRequests.isEmpty)
        #expect(queue.connection == .lost && queue.lossCount == losses + 1)
        let first = queue.takeResetPriority(), second = queue.takeResetPriority()
        #expect(first == isNowPlaying && !second)
    }

    @Test func firstPropertyReadSetsTheDeadlineOfAllReads() {
        var queue = RequestQueue()
        let first = queue.firstReportDeadline(now: 100, timeout: 50)
        let second = queue.firstReportDeadline(now: 140, timeout: 50)
        #expect(first == 150 && second == 150)
    }

    // MARK: State granted by the compositor

    @Test func activationAndInterruptionEndEachOther() {
        var granted = AudioSession.GrantedState()
        granted.activate(duckedAt: 7)
        #expect(granted.isActive && !granted.isInterrupted && granted.duckCompleteTime == 7)
        granted.interrupt()
        #expect(!granted.isActive && granted.isInterrupted)
        granted.activate(duckedAt: 8)
        #expect(granted.isActive && !granted.isInterrupted)
        granted.interrupt()
        granted.endInterruption()
        #expect(!granted.isActive && !granted.isInterrupted)
        granted.activateLocally()
        granted.prepareDeactivation()
        #expect(!granted.isActive)
        granted.interrupt()
        granted.deactivate()
        #expect(!granted.isActive && !granted.isInterrupted)
    }

    @Test func onlyNonDefaultSettingsAreSentToTheCompositor() throws {
        var wanted = AudioSession.RequestedState()
        #expect(wanted.nonDefaultRequests == [])
        wanted.allowsBackgroundPlayback = false
        #expect(wanted.nonDefaultRequests == [])
        (wanted.visibility, wanted.prefersNoInterruptions) = (.background, true)
        wanted.prefersInterruptionOnRouteDisconnect = false
        #expect(
            wanted.nonDefaultRequests == [
                .visibility(.background), .prefersNoInterruptions(true), .prefersInterruptionOnRouteDisconnect(false),
            ])
    }

    // MARK: Players that use the session

    @Test("the last player that stops using the session releases it, unless the program has activated it")
    func lastReleasedPlayerReleasesTheSession() {
        var users = AudioSession.Users()
        let one = users.add(.init { _ in }), two = users.add(.init { _ in })
        let neverNeeded = users.release(one)
        #expect(!neverNeeded)
        users.markNeeded(by: one)
        users.markNeeded(by: two)
        let first = users.release(one), again = users.release(one), last = users.release(two)
        #expect(!first && !again && last)
        users.markNeeded(by: one)
        users.isActivatedByProgram = true
        let ofProgram = users.release(one), ofUnknownPlayer = users.release(99)
        #expect(!ofProgram && !ofUnknownPlayer)
        users.markNeeded(by: two)
        users.isActivatedByProgram = false
        // A player whose activation was refused does not keep the session active.
        users.unmarkNeeded(by: two)
        let refused = users.release(two)
        #expect(!refused)
        users.remove(one)
        #expect(users.all.count == 1 && users[one] == nil && users[two] != nil)
    }

    @Test("the session runs while any player is audible, and only changes are reported")
    func sessionRunsWhileAnyPlayerIsAudible() {
        var users = AudioSession.Users()
        let one = users.add(.init { _ in }), two = users.add(.init { _ in })
        var reports: [Bool?] = []
        for (isRunning, player) in [
            (false, one), (true, one), (true, two), (true, one), (false, one), (false, two), (false, two), (true, 99),
        ] {
            reports.append(users.setRunning(isRunning, of: player))
        }
        #expect(reports == [nil, true, nil, nil, nil, false, nil, nil] && !users.isRunning)
    }

    // MARK: Observers and routes

    @Test func sessionObserversAreCalledInOrderUntilTheyAreRemoved() {
        var observers = AudioSession.Observers()
        let called = Monitor<[Int]>([])
        let numbers = (0..<3).map { number in observers.add { _ in called.update { $0.append(number) } } }
        let category = observers.addCategoryObserver { called.update { $0.append(9) } }
        #expect(Set(numbers + [category]).count == 4)
        observers.remove(numbers[1])
        for observer in observers.all { observer(.mediaServicesWereLost) }
        for observer in observers.allCategoryObservers { observer() }
        observers.remove(category)
        #expect(called.withLock { $0 } == [0, 2, 9])
        #expect(observers.allCategoryObservers.isEmpty && observers.all.count == 2)
    }

    @Test func nowPlayingWatcherReceivesOnlyChanges() {
        var observers = AudioSession.Observers()
        let before = observers.takeWatcher(of: true) != nil
        observers.watchNowPlaying { _ in }
        let calls = [false, true, true, false, false, true].map { observers.takeWatcher(of: $0) != nil }
        #expect(!before && calls == [false, true, false, true, false, true])
        // A new Now Playing watcher receives the current value.
        observers.watchNowPlaying { _ in }
        let anew = observers.takeWatcher(of: true) != nil
        #expect(anew)
    }

    @Test func playersDeviceOverridesTheCompositorsRoute() {
        let server = AudioRoute(alsaDevice: "hw:0"), own = AudioRoute(alsaDevice: "hw:1")
        var output = AudioSession.Output()
        output.route = server
        let first = output.move(to: own)
        #expect(first == server && output.current == own)
        let second = output.move(to: nil)
        #expect(second == own && output.current == server)
    }

    @Test func onlyAnotherFormatOrBufferPeriodIsADeviceChange() {
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

    @Test func outputOverrideRequestsAreAnsweredOnceInOrder() {
        var output = AudioSession.Output()
        let answers = Monitor<[Int]>([])
        for number in 0..<3 { output.addOutputRequest { _ in answers.update { $0.append(number) } } }
        output.takeOutputRequest()?(.done)
        for answer in output.takeOutputRequests() { answer(nil) }
        #expect(answers.withLock { $0 } == [0, 1, 2])
        let isOver = output.takeOutputRequest() == nil && output.takeOutputRequests().isEmpty
        #expect(isOver)
    }
}
