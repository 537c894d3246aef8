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
    private func makeQueue(_ connection: AudioSession.Connection) -> RequestQueue {
        var queue = RequestQueue()
        switch connection {
        case .notEstablished: break
        case .open: _ = queue.open(with: pendingRequest(.configure(.initial)))
        case .unavailable: _ = queue.recordUnavailableCompositor()
        case .lost:
            _ = queue.open(with: pendingRequest(.configure(.initial)))
            _ = queue.recordConnectionLoss(isNowPlaying: false)
        }
        #expect(queue.connection == connection)
        return queue
    }

    private static let connections: [AudioSession.Connection] = [.notEstablished, .open, .unavailable, .lost]

    @Test(arguments: connections, [false, true])
    func requestIsSentOrQueuedOrGrantedLocally(_ connection: AudioSession.Connection, survivesDisconnect: Bool) {
        var queue = makeQueue(connection)
        let sentCount = queue.pendingRequests.count,
            firstSubmission = queue.submit(pendingRequest(), survivesDisconnect: survivesDisconnect)
        let secondSubmission = queue.submit(pendingRequest(), survivesDisconnect: survivesDisconnect)
        let expected: [RequestQueue.Submission] =
            switch connection {
            case .notEstablished: [.waitsAndOpensConnection, .waits]
            case .open: [.isSent, .isSent]
            case .unavailable: [.isGrantedLocally, .isGrantedLocally]
            case .lost: survivesDisconnect ? [.waits, .waits] : [.fails, .fails]
            }
        #expect([firstSubmission, secondSubmission] == expected)
        #expect(queue.pendingRequests.count == sentCount + expected.count { $0 == .isSent })
        #expect(queue.waitingRequests.count == expected.count { $0 == .waitsAndOpensConnection || $0 == .waits })
    }

    @Test(arguments: connections) func compositorConnectionIsRequestedOnce(_ connection: AudioSession.Connection) {
        var queue = makeQueue(connection)
        let mustConnectFirst = queue.requestConnection(), mustConnectAgain = queue.requestConnection()
        #expect(mustConnectFirst && !mustConnectAgain && queue.isConnectionRequested)
    }

    @Test(arguments: connections) func openedConnectionSendsTheQueuedRequests(_ connection: AudioSession.Connection) {
        var queue = makeQueue(connection)
        while queue.takePendingRequest() != nil {}
        for request in [AudioRequest.activate(hasGesture: true), .deactivate(notifiesOthers: true)] {
            _ = queue.submit(pendingRequest(request), survivesDisconnect: true)
        }
        let doRequestsWait = connection == .notEstablished || connection == .lost
        let (requests, wasLost) = queue.open(with: pendingRequest(.configure(.initial)))
        #expect(requests == (doRequestsWait ? [.activate(hasGesture: true), .deactivate(notifiesOthers: true)] : []))
        #expect(wasLost == (connection != .notEstablished))
        #expect(queue.connection == .open && queue.waitingRequests.isEmpty)
        // Replies arrive in the order of the requests.
        guard connection != .open else { return }
        var takenRequests: [AudioRequest] = []
        while let pendingRequest = queue.takePendingRequest() { takenRequests.append(pendingRequest.request) }
        #expect(takenRequests == [.configure(.initial)] + requests)
    }

    @Test(arguments: connections)
    func allRequestsAreAnsweredWithoutACompositor(_ connection: AudioSession.Connection) {
        var queue = makeQueue(connection)
        while queue.takePendingRequest() != nil {}
        _ = queue.submit(pendingRequest(), survivesDisconnect: true)
        let pendingCount = connection == .unavailable ? 0 : 1
        let (removedRequests, wasLost) = queue.recordUnavailableCompositor()
        #expect(removedRequests.count == pendingCount && wasLost == (connection == .lost))
        #expect(queue.connection == .unavailable && queue.hasFirstReport && !queue.hasResetPriority)
        #expect(queue.pendingRequests.isEmpty && queue.waitingRequests.isEmpty)
    }

    @Test(arguments: connections)
    func compositorRefusalAnswersAllRequests(_ connection: AudioSession.Connection) {
        var queue = makeQueue(connection)
        while queue.takePendingRequest() != nil {}
        _ = queue.submit(pendingRequest(), survivesDisconnect: true)
        let pendingCount = connection == .unavailable ? 0 : 1
        let (removedRequests, wereGrantedLocally) = queue.recordRefusal()
        #expect(removedRequests.count == pendingCount && wereGrantedLocally == (connection == .unavailable))
        #expect(queue.connection == (connection == .unavailable ? .lost : connection) && queue.hasFirstReport)
        #expect(queue.pendingRequests.isEmpty && queue.waitingRequests.isEmpty)
        // If the compositor refuses the first connection, the next request opens a connection again.
        if connection == .notEstablished { #expect(!queue.isConnectionRequested) }
    }

    @Test(arguments: connections, [false, true])
    func onlyAnOpenConnectionCanBeLost(_ connection: AudioSession.Connection, isNowPlaying: Bool) {
        var queue = makeQueue(connection)
        let lossCount = queue.lossCount, sentCount = queue.pendingRequests.count
        let removedRequests = queue.recordConnectionLoss(isNowPlaying: isNowPlaying)
        guard connection == .open else {
            #expect(removedRequests == nil && queue.connection == connection && queue.lossCount == lossCount)
            return
        }
        #expect(removedRequests?.count == sentCount && queue.pendingRequests.isEmpty)
        #expect(queue.connection == .lost && queue.lossCount == lossCount + 1)
        let hasPriority = queue.takeResetPriority(), hasPriorityAgain = queue.takeResetPriority()
        #expect(hasPriority == isNowPlaying && !hasPriorityAgain)
    }

    @Test func firstPropertyReadSetsTheDeadlineOfAllReads() {
        var queue = RequestQueue()
        let firstDeadline = queue.firstReportDeadline(now: 100, timeout: 50)
        let secondDeadline = queue.firstReportDeadline(now: 140, timeout: 50)
        #expect(firstDeadline == 150 && secondDeadline == 150)
    }

    // MARK: State granted by the compositor

    @Test func activationAndInterruptionEndEachOther() {
        var grantedState = AudioSession.GrantedState()
        grantedState.activate(duckedAt: 7)
        #expect(grantedState.isActive && !grantedState.isInterrupted && grantedState.duckCompleteTime == 7)
        grantedState.interrupt()
        #expect(!grantedState.isActive && grantedState.isInterrupted)
        grantedState.activate(duckedAt: 8)
        #expect(grantedState.isActive && !grantedState.isInterrupted)
        grantedState.interrupt()
        grantedState.endInterruption()
        #expect(!grantedState.isActive && !grantedState.isInterrupted)
        grantedState.activateLocally()
        grantedState.prepareDeactivation()
        #expect(!grantedState.isActive)
        grantedState.interrupt()
        grantedState.deactivate()
        #expect(!grantedState.isActive && !grantedState.isInterrupted)
    }

    @Test func onlyNonDefaultSettingsAreSentToTheCompositor() throws {
        var requestedState = AudioSession.RequestedState()
        #expect(requestedState.nonDefaultRequests == [])
        requestedState.allowsBackgroundPlayback = false
        #expect(requestedState.nonDefaultRequests == [])
        (requestedState.visibility, requestedState.prefersNoInterruptions) = (.background, true)
        requestedState.prefersInterruptionOnRouteDisconnect = false
        #expect(
            requestedState.nonDefaultRequests == [
                .visibility(.background), .prefersNoInterruptions(true), .prefersInterruptionOnRouteDisconnect(false),
            ])
    }

    // MARK: Players that use the session

    @Test("the last player that stops using the session releases it, unless the program has activated it")
    func lastReleasedPlayerReleasesTheSession() {
        var users = AudioSession.Users()
        let firstPlayer = users.add(.init { _ in }), secondPlayer = users.add(.init { _ in })
        let isReleasedWithoutNeed = users.release(firstPlayer)
        #expect(!isReleasedWithoutNeed)
        users.setNeedsSession(true, of: firstPlayer)
        users.setNeedsSession(true, of: secondPlayer)
        let isReleasedByFirst = users.release(firstPlayer), isReleasedByFirstAgain = users.release(firstPlayer)
        let isReleasedBySecond = users.release(secondPlayer)
        #expect(!isReleasedByFirst && !isReleasedByFirstAgain && isReleasedBySecond)
        users.setNeedsSession(true, of: firstPlayer)
        users.isActivatedByProgram = true
        let isReleasedDespiteProgram = users.release(firstPlayer), isReleasedByUnknownPlayer = users.release(99)
        #expect(!isReleasedDespiteProgram && !isReleasedByUnknownPlayer)
        users.setNeedsSession(true, of: secondPlayer)
        users.isActivatedByProgram = false
        // A player whose activation was refused does not keep the session active.
        users.setNeedsSession(false, of: secondPlayer)
        let isReleasedByRefusedPlayer = users.release(secondPlayer)
        #expect(!isReleasedByRefusedPlayer)
        users.remove(firstPlayer)
        #expect(users.allPlayers.count == 1 && users[firstPlayer] == nil && users[secondPlayer] != nil)
    }

    @Test("the session runs while any player is audible, and only changes are reported")
    func sessionRunsWhileAnyPlayerIsAudible() {
        var users = AudioSession.Users()
        let firstPlayer = users.add(.init { _ in }), secondPlayer = users.add(.init { _ in })
        var reports: [Bool?] = []
        for (isRunning, player) in [
            (false, firstPlayer), (true, firstPlayer), (true, secondPlayer), (true, firstPlayer),
            (false, firstPlayer), (false, secondPlayer), (false, secondPlayer), (true, 99),
        ] {
            reports.append(users.setRunning(isRunning, of: player))
        }
        #expect(reports == [nil, true, nil, nil, nil, false, nil, nil] && !users.isRunning)
    }

    // MARK: Observers and routes

    @Test func sessionObserversAreCalledInOrderUntilTheyAreRemoved() {
        var observers = AudioSession.Observers()
        let calledObservers = Monitor<[Int]>([])
        let numbers = (0..<3).map { number in observers.add { _ in calledObservers.update { $0.append(number) } } }
        let categoryNumber = observers.addCategoryObserver { calledObservers.update { $0.append(9) } }
        #expect(Set(numbers + [categoryNumber]).count == 4)
        observers.remove(numbers[1])
        for observer in observers.allNotificationObservers { observer(.mediaServicesWereLost) }
        for observer in observers.allCategoryObservers { observer() }
        observers.remove(categoryNumber)
        #expect(calledObservers.withLock { $0 } == [0, 2, 9])
        #expect(observers.allCategoryObservers.isEmpty && observers.allNotificationObservers.count == 2)
    }

    @Test func nowPlayingWatcherReceivesOnlyChanges() {
        var observers = AudioSession.Observers()
        let isCalledWithoutWatcher = observers.takeWatcher(of: true) != nil
        observers.watchNowPlaying { _ in }
        let calls = [false, true, true, false, false, true].map { observers.takeWatcher(of: $0) != nil }
        #expect(!isCalledWithoutWatcher && calls == [false, true, false, true, false, true])
        // A new Now Playing watcher receives the current value.
        observers.watchNowPlaying { _ in }
        let isCalledAgain = observers.takeWatcher(of: true) != nil
        #expect(isCalledAgain)
    }

    @Test func playersDeviceOverridesTheCompositorsRoute() {
        let serverRoute = AudioRoute(alsaDevice: "hw:0"), playerRoute = AudioRoute(alsaDevice: "hw:1")
        var output = AudioSession.Output()
        output.route = serverRoute
        let firstFormerRoute = output.move(to: playerRoute)
        #expect(firstFormerRoute == serverRoute && output.currentRoute == playerRoute)
        let secondFormerRoute = output.move(to: nil)
        #expect(secondFormerRoute == playerRoute && output.currentRoute == serverRoute)
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
        let calledHandlers = Monitor<[Int]>([])
        for number in 0..<3 { output.addOutputRequest { _ in calledHandlers.update { $0.append(number) } } }
        output.takeOutputRequest()?(.done)
        for handler in output.takeOutputRequests() { handler(nil) }
        #expect(calledHandlers.withLock { $0 } == [0, 1, 2])
        let isEmpty = output.takeOutputRequest() == nil && output.takeOutputRequests().isEmpty
        #expect(isEmpty)
    }
}
