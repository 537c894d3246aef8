import Testing

@testable import Compositor

@Suite struct WindowArbiterTests {
    private static let keys = (1...3).map { SessionKey(client: UInt64($0), session: 7) }
    private var a: SessionKey { Self.keys[0] }
    private var b: SessionKey { Self.keys[1] }
    private var c: SessionKey { Self.keys[2] }

    @Test func firstRequestIsGrantedAtOnce() {
        var arbiter = WindowArbiter()
        #expect(arbiter.request(a, now: 0) == [.grant(a)])
        #expect(arbiter.holds(a) && arbiter.deadline == nil)
    }

    @Test func secondRequestWaitsUntilFirstWindowCloses() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(a, now: 0)
        #expect(arbiter.request(b, now: 100) == [.replace(a)])
        #expect(arbiter.holds(a) && !arbiter.holds(b))
        #expect(arbiter.deadline == 100 + WindowArbiter.patience)
        #expect(arbiter.ended(a) == [.grant(b)])
        #expect(arbiter.holds(b) && arbiter.deadline == nil)
    }

    @Test func windowIsRemovedAtDeadlineAndNotBefore() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(a, now: 0)
        _ = arbiter.request(b, now: 0)
        #expect(arbiter.tick(now: WindowArbiter.patience - 1) == [])
        #expect(arbiter.tick(now: WindowArbiter.patience) == [.remove(a), .grant(b)])
        #expect(arbiter.tick(now: .max) == [])
    }

    @Test func laterRequestReplacesWaiterAndKeepsDeadline() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(a, now: 0)
        _ = arbiter.request(b, now: 0)
        let actions = arbiter.request(c, now: 10)
        #expect(actions.count == 1)
        guard case .refuse(b, _) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(arbiter.deadline == WindowArbiter.patience)
        #expect(arbiter.ended(a) == [.grant(c)])
    }

    @Test func cancelledWaiterClearsDeadline() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(a, now: 0)
        _ = arbiter.request(b, now: 0)
        #expect(arbiter.ended(b) == [])
        #expect(arbiter.deadline == nil && arbiter.tick(now: .max) == [])
        #expect(arbiter.holds(a))
    }

    @Test func endOfUnknownSessionHasNoEffect() {
        var arbiter = WindowArbiter()
        _ = arbiter.request(a, now: 0)
        #expect(arbiter.ended(c) == [] && arbiter.holds(a))
    }

    @Test func thirdRequestReplacesOldestOfTwoWindows() {
        var arbiter = WindowArbiter(limit: 2)
        #expect(arbiter.request(a, now: 0) == [.grant(a)] && arbiter.request(b, now: 0) == [.grant(b)])
        #expect(arbiter.request(c, now: 0) == [.replace(a)])
        // Another that goes by itself makes room as well.
        #expect(arbiter.ended(b) == [.grant(c)] && arbiter.deadline == nil && arbiter.holds(a))
    }

    @Test func loweringLimitClosesNoWindow() {
        var arbiter = WindowArbiter(limit: 2)
        _ = arbiter.request(a, now: 0)
        _ = arbiter.request(b, now: 0)
        arbiter.limit = 1
        #expect(arbiter.holds(a) && arbiter.holds(b))
        #expect(arbiter.request(c, now: 0) == [.replace(a)] && arbiter.ended(a) == [.grant(c)])
    }

    // MARK: every sequence

    private enum Input: Equatable {
        case request(SessionKey)
        case ended(SessionKey)
        case early, due
    }

    private struct Node {
        var arbiter: WindowArbiter
        var granted: Set<SessionKey> = []
        var waiting: Set<SessionKey> = []
        var warned: Set<SessionKey> = []
        var complaints: [String] = []
        var path: [Input] = []

        mutating func demand(_ holds: Bool, _ complaint: String) {
            if !holds { complaints.append("\(complaint): \(path)") }
        }

        mutating func take(_ input: Input) {
            path.append(input)
            let actions: [WindowArbiter.Action]
            switch input {
            case .request(let key):
                if !granted.contains(key) { waiting.insert(key) }
                actions = arbiter.request(key, now: 0)
            case .ended(let key):
                granted.remove(key)
                waiting.remove(key)
                warned.remove(key)
                actions = arbiter.ended(key)
            case .early: actions = arbiter.tick(now: WindowArbiter.patience - 1)
            case .due: actions = arbiter.tick(now: WindowArbiter.patience)
            }
            for action in actions {
                switch action {
                case .grant(let key):
                    demand(granted.subtracting([key]).count < arbiter.limit, "too many have a window")
                    granted.insert(key)
                    waiting.remove(key)
                case .replace(let key):
                    demand(granted.contains(key) && !waiting.isEmpty, "one is replaced who has nothing, or for nobody")
                    warned.insert(key)
                case .remove(let key):
                    demand(warned.contains(key) && input == .due, "one is removed who was not warned, or too early")
                    granted.remove(key)
                    warned.remove(key)
                case .refuse(let key, _): waiting.remove(key)
                }
            }
            demand(
                WindowArbiterTests.keys.filter { arbiter.holds($0) } == granted.sorted { $0.client < $1.client },
                "the holders are not those who were told so")
            demand(waiting.count <= 1, "one is forgotten")
            demand(waiting.isEmpty || granted.count == arbiter.limit, "one waits for nobody")
            demand(waiting.isEmpty == (arbiter.deadline == nil), "one waits without an end")
            if input == .due { demand(waiting.isEmpty, "time passed and one still waits") }
        }

        var key: String {
            "\(arbiter) \(granted.map(\.client).sorted()) \(waiting.map(\.client).sorted()) \(warned.map(\.client).sorted())"
        }
    }

    @Test(arguments: 1...3) func everySequenceOfThreeSessionsKeepsInvariants(_ limit: Int) {
        let inputs = Self.keys.map(Input.request) + Self.keys.map(Input.ended) + [.early, .due]
        var frontier = [Node(arbiter: WindowArbiter(limit: limit))]
        var seen: Set<String> = []
        var complaints: [String] = []
        for _ in 0..<10 {
            var next: [Node] = []
            for node in frontier {
                for input in inputs {
                    var reached = node
                    reached.take(input)
                    complaints += reached.complaints
                    if reached.complaints.isEmpty, seen.insert(reached.key).inserted { next.append(reached) }
                }
            }
            frontier = next
        }
        #expect(complaints.isEmpty, "\(complaints.prefix(3))")
        #expect(frontier.isEmpty, "there is nothing new after ten inputs")
        #expect(seen.count >= 8)
    }
}
