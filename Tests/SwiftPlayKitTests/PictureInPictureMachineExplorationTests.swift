import Testing

@testable import SwiftPlayKit

/// Every input in every state that any inputs lead to, in whatever order: what a compositor that breaks its word may
/// say, too. ``PictureInPictureWorldTests`` has the orders that a sound compositor keeps.
@Suite struct PictureInPictureMachineExplorationTests {
    private struct Node {
        var machine = PictureInPictureMachine()
        var ledger = PictureInPictureLedger()
        var path: [PictureInPictureMachine.Input] = []
    }

    private static func alphabet(_ machine: PictureInPictureMachine) -> [PictureInPictureMachine.Input] {
        let asked = if case .restoring(let question) = machine.state { question } else { 1 }
        return [
            .start(isPossible: true), .start(isPossible: false), .startWhenPossible(isPossible: true),
            .startWhenPossible(isPossible: false),
            .becamePossible, .stop, .close, .granted, .shown, .failed("broken"), .refused("no"), .lost, .replaced,
            .windowGone, .stopped, .sourceGone,
            .timedOut(attempt: machine.attempts), .timedOut(attempt: machine.attempts - 1),
            .landingTimedOut(attempt: machine.attempts), .landingTimedOut(attempt: machine.attempts - 1),
            .restoreTimedOut(question: asked), .restoreTimedOut(question: asked - 1),
            .restoreAnswered(question: asked, true), .restoreAnswered(question: asked, false),
            .restoreAnswered(question: asked - 1, true), .restoreAnswered(question: asked + 1, false),
        ]
    }

    private static func step(_ node: Node, _ input: PictureInPictureMachine.Input) -> Node {
        var next = node
        next.path.append(input)
        next.ledger.hear(input)
        let actions = next.machine.handle(input)
        for action in actions { next.ledger.note(action, after: input) }
        next.ledger.settle(next.machine.state)
        if node.machine.state == .idle, input == .stop || input == .close {
            next.ledger.demand(actions.isEmpty, "something happens when nothing runs")
        }
        if case .restoreAnswered(let question, _) = input, node.machine.state != .restoring(question: question) {
            next.ledger.demand(next.machine == node.machine, "an answer nobody waits for changes something")
            next.ledger.demand(
                actions.allSatisfy { if case .note = $0 { true } else { false } },
                "an answer nobody waits for does something")
        }
        return next
    }

    /// What tells two states apart for good: the numbers of questions and starts only matter as far as they are the
    /// newest.
    private struct Key: Hashable {
        let state: PictureInPictureMachine.Form
        let unconfirmedStops: Int
        let startsWhenPossible: Bool
        let ledger: PictureInPictureLedger
    }

    /// Every state that can be reached, each once, with the shortest way to it; and the steps that broke a promise.
    private static let explored: (nodes: [Node], broken: [Node]) = {
        var seen: Set<Key> = []
        var nodes = [Node()], broken: [Node] = []
        var next = 0
        while next < nodes.count {
            let node = nodes[next]
            next += 1
            // A compositor that confirms nothing would be given windows back without end.
            for input in alphabet(node.machine) {
                let reached = step(node, input)
                guard reached.machine.unconfirmedStops <= 3 else { continue }
                let key = Key(
                    state: reached.machine.form, unconfirmedStops: reached.machine.unconfirmedStops,
                    startsWhenPossible: reached.machine.startsWhenPossible, ledger: reached.ledger)
                if !reached.ledger.complaints.isEmpty {
                    broken.append(reached)
                } else if seen.insert(key).inserted {
                    nodes.append(reached)
                }
            }
        }
        return (nodes, broken)
    }()

    @Test func everySequenceKeepsThePromises() {
        for node in Self.explored.broken.prefix(3) { Issue.record("\(node.ledger.complaints): \(node.path)") }
        #expect(Self.explored.broken.isEmpty)
        #expect(Set(Self.explored.nodes.map(\.machine.form)).count == 8, "every state is reached")
    }

    @Test(arguments: [PictureInPictureMachine.Input.lost, .sourceGone])
    func whateverTakesThePictureAwayEndsInIdle(_ input: PictureInPictureMachine.Input) {
        for node in Self.explored.nodes {
            let end = Self.step(node, input)
            #expect(end.machine.state == .idle && end.ledger.isClean, "\(end.path)")
        }
    }

    @Test(arguments: [PictureInPictureMachine.Input.replaced, .windowGone])
    func whateverTakesTheWindowAwayEndsInIdle(_ input: PictureInPictureMachine.Input) {
        for node in Self.explored.nodes where node.machine.hasWindow {
            let end = Self.step(node, input)
            #expect(end.machine.state == .idle && end.ledger.isClean, "\(end.path)")
        }
    }

    @Test func aCloseAndTheFirstFrameEndInIdleFromEverywhere() {
        for node in Self.explored.nodes {
            let confirmed = (0..<node.machine.unconfirmedStops).reduce(node) { node, _ in Self.step(node, .stopped) }
            let end = Self.step(Self.step(confirmed, .close), .shown)
            #expect(end.machine.state == .idle && end.ledger.isClean, "\(end.path)")
        }
    }

    @Test func everyStateCanStartAnew() {
        for node in Self.explored.nodes {
            let end = [.lost, .start(isPossible: true), .granted, .shown].reduce(node, Self.step)
            #expect(end.machine.state == .active, "\(end.path)")
        }
    }
}

extension PictureInPictureMachine.Input {
    static func start(isPossible: Bool) -> Self { .start(obstacle: isPossible ? nil : "not now") }
}

extension PictureInPictureMachine {
    /// The state without the numbers that only tell older questions and starts from the newest.
    enum Form: Hashable {
        case idle, requesting
        case starting(Then)
        case active, restoring, landing
    }

    var form: Form {
        switch state {
        case .idle: .idle
        case .requesting: .requesting
        case .starting(let then): .starting(then)
        case .active: .active
        case .restoring: .restoring
        case .landing: .landing
        }
    }
}
