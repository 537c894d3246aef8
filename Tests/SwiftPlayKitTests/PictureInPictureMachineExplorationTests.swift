import Testing

@testable import SwiftPlayKit

/// Tests every input of the Picture-in-Picture machine in every reachable state, in any order, including orders that
/// only a faulty compositor produces. ``PictureInPictureModelTests`` tests the orders that a correct compositor
/// produces.
@Suite struct PictureInPictureMachineExplorationTests {
    /// A reached state of the Picture-in-Picture machine, with the inputs that lead to it.
    private struct ReachedState {
        var machine = PictureInPictureMachine()
        var checker = PictureInPictureRuleChecker()
        var pastInputs: [PictureInPictureMachine.Input] = []
    }

    /// Returns all inputs of the machine, including time limits of earlier starts and results of earlier restore
    /// requests.
    private static func allInputs(_ machine: PictureInPictureMachine) -> [PictureInPictureMachine.Input] {
        let requestNumber = if case .restoring(let request) = machine.state { request } else { 1 }
        return [
            .start(isPossible: true), .start(isPossible: false), .startWhenPossible(isPossible: true),
            .startWhenPossible(isPossible: false),
            .becamePossible, .stop, .close, .granted, .shown, .failed("broken"), .refused("no"), .lost, .replaced,
            .windowClosed, .stopped, .sourceReleased,
            .timedOut(attempt: machine.startNumber), .timedOut(attempt: machine.startNumber - 1),
            .returnTimedOut(attempt: machine.startNumber), .returnTimedOut(attempt: machine.startNumber - 1),
            .restoreTimedOut(request: requestNumber), .restoreTimedOut(request: requestNumber - 1),
            .restoreCompleted(request: requestNumber, true), .restoreCompleted(request: requestNumber, false),
            .restoreCompleted(request: requestNumber - 1, true), .restoreCompleted(request: requestNumber + 1, false),
        ]
    }

    /// Returns the state that follows `node` after an input. Its checker contains the violations of the rules.
    private static func step(_ node: ReachedState, _ input: PictureInPictureMachine.Input) -> ReachedState {
        var nextState = node
        nextState.pastInputs.append(input)
        nextState.checker.receive(input)
        let actions = nextState.machine.handle(input)
        for action in actions { nextState.checker.record(action, after: input) }
        nextState.checker.check(nextState.machine.state)
        if node.machine.state == .idle, input == .stop || input == .close {
            nextState.checker.require(actions.isEmpty, "a stop or a close acts while idle")
        }
        if case .restoreCompleted(let request, _) = input,
            node.machine.state != .restoring(request: request)
        {
            nextState.checker.require(
                nextState.machine == node.machine, "an unexpected restore result changes the state")
            nextState.checker.require(
                actions.allSatisfy { if case .log = $0 { true } else { false } },
                "an unexpected restore result causes actions")
        }
        return nextState
    }

    /// The part of a machine's state by which two states are compared. The identity contains no numbers of restore
    /// requests and starts, because the machine only compares such numbers with the newest number.
    private struct StateIdentity: Hashable {
        let state: PictureInPictureMachine.StateKind
        let unconfirmedStopCount: Int
        let startsWhenPossible: Bool
        let checker: PictureInPictureRuleChecker
    }

    /// All reachable states (`nodes`), and the states in which a rule was violated (`violatingNodes`). Each state
    /// contains the inputs that lead to it.
    private static let exploration: (nodes: [ReachedState], violatingNodes: [ReachedState]) = {
        var visitedIdentities: Set<StateIdentity> = []
        var nodes = [ReachedState()], violatingNodes: [ReachedState] = []
        var nextIndex = 0
        while nextIndex < nodes.count {
            let node = nodes[nextIndex]
            nextIndex += 1
            // Without confirmations of the compositor, the number of unconfirmed stops is unlimited; the exploration
            // ends at 3.
            for input in allInputs(node.machine) {
                let nextNode = step(node, input)
                guard nextNode.machine.unconfirmedStopCount <= 3 else { continue }
                let identity = StateIdentity(
                    state: nextNode.machine.stateKind, unconfirmedStopCount: nextNode.machine.unconfirmedStopCount,
                    startsWhenPossible: nextNode.machine.startsWhenPossible, checker: nextNode.checker)
                if !nextNode.checker.violations.isEmpty {
                    violatingNodes.append(nextNode)
                } else if visitedIdentities.insert(identity).inserted {
                    nodes.append(nextNode)
                }
            }
        }
        return (nodes, violatingNodes)
    }()

    @Test func everySequenceOfInputsFollowsTheRules() {
        for node in Self.exploration.violatingNodes.prefix(3) {
            Issue.record("\(node.checker.violations): \(node.pastInputs)")
        }
        #expect(Self.exploration.violatingNodes.isEmpty)
        #expect(Set(Self.exploration.nodes.map(\.machine.stateKind)).count == 8, "every state is reached")
    }

    @Test(arguments: [PictureInPictureMachine.Input.lost, .sourceReleased])
    func losingTheCompositorOrTheSourceEndsInIdle(_ input: PictureInPictureMachine.Input) {
        for node in Self.exploration.nodes {
            let endState = Self.step(node, input)
            #expect(endState.machine.state == .idle && endState.checker.matchesInitialState, "\(endState.pastInputs)")
        }
    }

    @Test(arguments: [PictureInPictureMachine.Input.replaced, .windowClosed])
    func losingTheWindowEndsInIdle(_ input: PictureInPictureMachine.Input) {
        for node in Self.exploration.nodes where node.machine.hasWindow {
            let endState = Self.step(node, input)
            #expect(endState.machine.state == .idle && endState.checker.matchesInitialState, "\(endState.pastInputs)")
        }
    }

    @Test func closeFollowedByTheFirstFrameLeadsToIdle() {
        for node in Self.exploration.nodes {
            let confirmedNode = (0..<node.machine.unconfirmedStopCount).reduce(node) { node, _ in
                Self.step(node, .stopped)
            }
            let endState = Self.step(Self.step(confirmedNode, .close), .shown)
            #expect(endState.machine.state == .idle && endState.checker.matchesInitialState, "\(endState.pastInputs)")
        }
    }

    @Test func everyStateCanRestart() {
        for node in Self.exploration.nodes {
            let endState = [.lost, .start(isPossible: true), .granted, .shown].reduce(node, Self.step)
            #expect(endState.machine.state == .active, "\(endState.pastInputs)")
        }
    }
}

extension PictureInPictureMachine.Input {
    /// Returns the input for a start of Picture-in-Picture that is possible or not possible.
    static func start(isPossible: Bool) -> Self { .start(obstacle: isPossible ? nil : "not now") }
}

extension PictureInPictureMachine {
    /// The machine's state without request numbers, which only distinguish the newest start or restore request from
    /// older requests.
    enum StateKind: Hashable {
        case idle, requesting
        case starting(StartCompletion)
        case active, restoring, returning
    }

    /// The machine's current state without its numbers.
    var stateKind: StateKind {
        switch state {
        case .idle: .idle
        case .requesting: .requesting
        case .starting(let completion): .starting(completion)
        case .active: .active
        case .restoring: .restoring
        case .returning: .returning
        }
    }
}
