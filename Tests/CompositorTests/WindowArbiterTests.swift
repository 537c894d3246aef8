import Testing

@testable import Compositor

@Suite struct WindowArbiterTests {
    /// Three sessions of three programs, which compete for windows.
    private static let keys = (1...3).map { SessionKey(client: UInt64($0), session: 7) }
    /// The session of program 1.
    private var sessionA: SessionKey { Self.keys[0] }
    /// The session of program 2.
    private var sessionB: SessionKey { Self.keys[1] }
    /// The session of program 3.
    private var sessionC: SessionKey { Self.keys[2] }

    @Test func firstRequestIsGrantedAtOnce() {
        var arbiter = WindowArbiter()
        #expect(arbiter.request(sessionA, now: 0) == [.grant(sessionA)])
        #expect(arbiter.mayHaveWindow(sessionA) && arbiter.deadline == nil)
    }

    @Test func secondRequestWaitsUntilFirstWindowCloses() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(sessionA, now: 0)
        #expect(arbiter.request(sessionB, now: 100) == [.replace(sessionA)])
        #expect(arbiter.mayHaveWindow(sessionA) && !arbiter.mayHaveWindow(sessionB))
        #expect(arbiter.deadline == 100 + WindowArbiter.stopTimeout)
        #expect(arbiter.releaseWindow(of: sessionA) == [.grant(sessionB)])
        #expect(arbiter.mayHaveWindow(sessionB) && arbiter.deadline == nil)
    }

    @Test func windowIsRemovedAtDeadlineAndNotBefore() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(sessionA, now: 0)
        _ = arbiter.request(sessionB, now: 0)
        #expect(arbiter.tick(now: WindowArbiter.stopTimeout - 1) == [])
        #expect(arbiter.tick(now: WindowArbiter.stopTimeout) == [.remove(sessionA), .grant(sessionB)])
        #expect(arbiter.tick(now: .max) == [])
    }

    @Test func laterRequestReplacesWaiterAndKeepsDeadline() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(sessionA, now: 0)
        _ = arbiter.request(sessionB, now: 0)
        let actions = arbiter.request(sessionC, now: 10)
        #expect(actions.count == 1)
        guard case .refuse(sessionB, _) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(arbiter.deadline == WindowArbiter.stopTimeout)
        #expect(arbiter.releaseWindow(of: sessionA) == [.grant(sessionC)])
    }

    @Test func cancelledWaiterClearsDeadline() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(sessionA, now: 0)
        _ = arbiter.request(sessionB, now: 0)
        #expect(arbiter.releaseWindow(of: sessionB) == [])
        #expect(arbiter.deadline == nil && arbiter.tick(now: .max) == [])
        #expect(arbiter.mayHaveWindow(sessionA))
    }

    @Test func endOfUnknownSessionHasNoEffect() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(sessionA, now: 0)
        #expect(arbiter.releaseWindow(of: sessionC) == [] && arbiter.mayHaveWindow(sessionA))
    }

    @Test func thirdRequestReplacesOldestOfTwoWindows() {
        var arbiter = WindowArbiter(limit: 2)
        #expect(
            arbiter.request(sessionA, now: 0) == [.grant(sessionA)]
                && arbiter.request(sessionB, now: 0) == [.grant(sessionB)])
        #expect(arbiter.request(sessionC, now: 0) == [.replace(sessionA)])
        // A window that its program closes without a request also lets a waiting session open its window.
        #expect(
            arbiter.releaseWindow(of: sessionB) == [.grant(sessionC)] && arbiter.deadline == nil
                && arbiter.mayHaveWindow(sessionA))
    }

    @Test func loweringLimitClosesNoWindow() {
        var arbiter = WindowArbiter(limit: 2)
        _ = arbiter.request(sessionA, now: 0)
        _ = arbiter.request(sessionB, now: 0)
        arbiter.limit = 1
        #expect(arbiter.mayHaveWindow(sessionA) && arbiter.mayHaveWindow(sessionB))
        #expect(
            arbiter.request(sessionC, now: 0) == [.replace(sessionA)]
                && arbiter.releaseWindow(of: sessionA) == [.grant(sessionC)])
    }

    // MARK: Exploration of every sequence of events

    /// An event that the exploration passes to the window arbiter.
    private enum Input: Equatable {
        /// The session requests a window.
        case request(SessionKey)
        /// The session ends.
        case ended(SessionKey)
        /// The arbiter's timer fires just before the deadline (`early`), or at the deadline (`due`).
        case early, due
    }

    /// A state of the arbiter that the exploration has reached, and the effects of its decisions so far.
    private struct Node {
        var arbiter: WindowArbiter
        /// The sessions that have a window.
        var granted: Set<SessionKey> = []
        /// The sessions that wait for a window.
        var waiting: Set<SessionKey> = []
        /// The sessions that were requested to close their window.
        var sessionsRequestedToClose: Set<SessionKey> = []
        var violations: [String] = []
        /// The events that lead to this state.
        var path: [Input] = []

        /// Records a violated invariant unless `isSatisfied` is true.
        mutating func require(_ isSatisfied: Bool, _ violation: String) {
            if !isSatisfied { violations.append("\(violation): \(path)") }
        }

        /// Passes an event to the arbiter and checks the invariants.
        mutating func pass(_ input: Input) {
            path.append(input)
            let actions: [WindowArbiter.Action]
            switch input {
            case .request(let key):
                if !granted.contains(key) { waiting.insert(key) }
                actions = arbiter.request(key, now: 0)
            case .ended(let key):
                granted.remove(key)
                waiting.remove(key)
                sessionsRequestedToClose.remove(key)
                actions = arbiter.releaseWindow(of: key)
            case .early: actions = arbiter.tick(now: WindowArbiter.stopTimeout - 1)
            case .due: actions = arbiter.tick(now: WindowArbiter.stopTimeout)
            }
            for action in actions {
                switch action {
                case .grant(let key):
                    require(granted.subtracting([key]).count < arbiter.limit, "too many windows are granted")
                    granted.insert(key)
                    waiting.remove(key)
                case .replace(let key):
                    require(
                        granted.contains(key) && !waiting.isEmpty,
                        "a session without a window is replaced, or no session waits")
                    sessionsRequestedToClose.insert(key)
                case .remove(let key):
                    require(
                        sessionsRequestedToClose.contains(key) && input == .due,
                        "a session is removed without a request to close, or too early")
                    granted.remove(key)
                    sessionsRequestedToClose.remove(key)
                case .refuse(let key, _): waiting.remove(key)
                }
            }
            require(
                WindowArbiterTests.keys.filter { arbiter.mayHaveWindow($0) }
                    == granted.sorted { $0.client < $1.client },
                "the holders differ from the granted sessions")
            require(waiting.count <= 1, "more than one session waits")
            require(waiting.isEmpty || granted.count == arbiter.limit, "a session waits although a window is free")
            require(
                waiting.isEmpty == (arbiter.deadline == nil),
                "a session waits without a deadline, or a deadline exists without a waiting session")
            if input == .due { require(waiting.isEmpty, "a session waits beyond the deadline") }
        }

        /// A text that identifies the state; equal states have equal texts.
        var key: String {
            let clients = [granted, waiting, sessionsRequestedToClose].map { $0.map(\.client).sorted() }
            return "\(arbiter) \(clients)"
        }
    }

    @Test(arguments: 1...3) func everySequenceOfThreeSessionsKeepsInvariants(_ limit: Int) {
        let inputs = Self.keys.map(Input.request) + Self.keys.map(Input.ended) + [.early, .due]
        var frontier = [Node(arbiter: WindowArbiter(limit: limit))]
        var visitedKeys: Set<String> = []
        var violations: [String] = []
        for _ in 0..<10 {
            var nextNodes: [Node] = []
            for node in frontier {
                for input in inputs {
                    var reachedNode = node
                    reachedNode.pass(input)
                    violations += reachedNode.violations
                    if reachedNode.violations.isEmpty, visitedKeys.insert(reachedNode.key).inserted {
                        nextNodes.append(reachedNode)
                    }
                }
            }
            frontier = nextNodes
        }
        #expect(violations.isEmpty, "\(violations.prefix(3))")
        #expect(frontier.isEmpty, "ten inputs do not reach all states")
        #expect(visitedKeys.count >= 8)
    }
}
