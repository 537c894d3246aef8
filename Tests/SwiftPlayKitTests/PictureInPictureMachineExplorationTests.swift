import Testing
@testable import SwiftPlayKit

/// Every sequence of inputs, as far as it leads anywhere new.
@Suite struct PictureInPictureMachineExplorationTests {
    private struct Node {
        var machine = PictureInPictureMachine()
        var ledger = PictureInPictureLedger()
        var path: [PictureInPictureMachine.Input] = []
    }

    private static func alphabet(_ machine: PictureInPictureMachine) -> [PictureInPictureMachine.Input] {
        let asked = if case .restoring(let question) = machine.state { question } else { 1 }
        return [
            .start(isPossible: true), .start(isPossible: false), .stop, .close, .granted, .shown, .failed("broken"), .lost, .replaced,
            .windowGone, .sourceGone, .restoreAnswered(question: asked, true), .restoreAnswered(question: asked, false),
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
            next.ledger.demand(actions.allSatisfy { if case .note = $0 { true } else { false } }, "an answer nobody waits for does something")
        }
        return next
    }

    /// The nodes that sequences of up to `length` inputs lead to, each once.
    private static func explore(length: Int) -> (nodes: [Node], broken: [Node]) {
        var seen: Set<String> = []
        var nodes = [Node()], broken: [Node] = []
        var frontier = nodes
        for _ in 0..<length {
            var next: [Node] = []
            for node in frontier {
                for input in alphabet(node.machine) {
                    let reached = step(node, input)
                    if !reached.ledger.complaints.isEmpty {
                        broken.append(reached)
                    } else if seen.insert("\(reached.machine) \(reached.ledger)").inserted {
                        next.append(reached)
                    }
                }
            }
            nodes += next
            frontier = next
        }
        return (nodes, broken)
    }

    @Test func everySequenceKeepsThePromises() {
        let (nodes, broken) = Self.explore(length: 9)
        for node in broken.prefix(3) { Issue.record("\(node.ledger.complaints): \(node.path)") }
        #expect(broken.isEmpty)
        #expect(Set(nodes.map { "\($0.machine.state)".prefix(4) }).count == 5, "every state is reached")
    }

    @Test(arguments: [PictureInPictureMachine.Input.lost, .replaced, .windowGone, .sourceGone])
    func whateverTakesTheWindowAwayEndsInIdle(_ input: PictureInPictureMachine.Input) {
        for node in Self.explore(length: 7).nodes {
            let end = Self.step(node, input)
            #expect(end.machine.state == .idle && end.ledger.isClean, "\(end.path)")
        }
    }

    @Test func aCloseAndTheFirstFrameEndInIdleFromEverywhere() {
        for node in Self.explore(length: 7).nodes {
            let end = Self.step(Self.step(node, .close), .shown)
            #expect(end.machine.state == .idle && end.ledger.isClean, "\(end.path)")
        }
    }

    @Test func everyStateCanStartAnew() {
        for node in Self.explore(length: 7).nodes {
            let end = [.lost, .start(isPossible: true), .granted, .shown].reduce(node, Self.step)
            #expect(end.machine.state == .active, "\(end.path)")
        }
    }
}
