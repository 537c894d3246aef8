import Testing

@testable import Compositor

/// Explores every order of commands, user actions and messages between one external player, its user and the
/// compositor. The state machine under test is `ExternalPlayers`, which pauses external players while SwiftPlay's
/// programs request silence.
@Suite struct ExternalPlayersModelTests {
    /// A possible next event of the simulation.
    private enum Event: Hashable {
        /// A program requests silence.
        case silenceRequested
        /// The last program ends its request for silence; with `notify`, paused players may resume.
        case silenceReleased(notify: Bool)
        /// The player executes the oldest pending command (`playerExecutes`), or replies to it with an error
        /// (`playerRejects`).
        case playerExecutes, playerRejects
        /// The oldest message of the player arrives at the compositor.
        case messageArrives
        /// The user changes the player's status.
        case userChangesStatus(ExternalPlayers.Status)
        /// The player's process exits (`playerExits`) or starts (`playerStarts`).
        case playerExits, playerStarts

        /// A description of the event for failure messages.
        var name: String {
            switch self {
            case .silenceRequested: "requested"
            case .silenceReleased(let notify): notify ? "released with notify" : "released"
            case .playerExecutes: "executes"
            case .playerRejects: "rejects"
            case .messageArrives: "arrives"
            case .userChangesStatus(let status): "user: \(status.rawValue)"
            case .playerExits: "exits"
            case .playerStarts: "starts"
            }
        }
    }

    /// A message from the player that has not arrived yet.
    private enum Message: Hashable {
        /// The player has a new status. `byUser`: the message shows that the user changed the status.
        case status(ExternalPlayers.Status, byUser: Bool)
        /// The player replied to a command with an error.
        case refused(ExternalPlayers.Action)
        /// The player's process has exited (`exited`) or started (`started`).
        case exited, started
    }

    /// A state of the simulation: the player, the state machine under test, the pending commands and messages, and the
    /// history that the invariants need.
    private struct Simulation: Hashable {
        /// The player's name on the bus.
        static let id = "p"
        /// The state machine under test.
        var machine = ExternalPlayers()
        /// The true status of the player; nil while it does not run.
        var status: ExternalPlayers.Status?
        /// The player's status at the start of the simulation; nil if it did not run.
        var initialStatus: ExternalPlayers.Status?
        /// The commands that the player has not executed yet, oldest first.
        var commands: [ExternalPlayers.Action] = []
        /// The messages that have not arrived yet, oldest first.
        var messages: [Message] = []
        /// Whether only `ExternalPlayers` has controlled the player, and the player has executed all commands.
        var isUntouched = true
        /// Whether each end of a time of silence permitted the paused players to resume (`notify` was true).
        var alwaysNotified = true
        /// Whether the last command to the player was a pause, and no later message shows an action of the user.
        var isPausedByMachine = false
        /// Whether the player has executed the last pause command.
        var hasPaused = false
    }

    /// A state of the simulation that was reached, the events that lead to it, and the invariants that it violates.
    private struct Node {
        var state: Simulation
        /// The events that lead from the start state to this state.
        var path: [Event] = []
        /// A description of each violated invariant.
        var violations: [String] = []
    }

    /// All events that the simulation tries in each state.
    private static let allEvents: [Event] = [
        .silenceRequested, .silenceReleased(notify: true), .silenceReleased(notify: false), .playerExecutes,
        .playerRejects, .messageArrives, .userChangesStatus(.playing), .userChangesStatus(.paused),
        .userChangesStatus(.stopped), .playerExits, .playerStarts,
    ]

    /// Returns the state after an event; nil if the event cannot happen now.
    private static func step(_ node: Node, _ event: Event) -> Node? {
        var nextNode = node
        nextNode.path.append(event)
        var inputs: [ExternalPlayers.Input] = []
        switch event {
        case .silenceRequested: inputs = [.silence(.requested)]
        case .silenceReleased(let notify):
            inputs = [.silence(.released(notify: notify))]
            if node.state.machine.isSilenceRequested, !notify { nextNode.state.alwaysNotified = false }
        case .playerExecutes, .playerRejects:
            guard !node.state.commands.isEmpty else { return nil }
            let action = nextNode.state.commands.removeFirst()
            guard event == .playerExecutes else {
                nextNode.state.messages.append(.refused(action))
                nextNode.state.isUntouched = false
                break
            }
            let newStatus: ExternalPlayers.Status? =
                switch (action, node.state.status) {
                case (.pause, .playing): .paused
                case (.play, .paused), (.play, .stopped): .playing
                default: nil
                }
            guard node.state.status != nil, let newStatus else { break }
            if newStatus == .paused { nextNode.state.hasPaused = true }
            nextNode.state.status = newStatus
            nextNode.state.messages.append(.status(newStatus, byUser: false))
        case .userChangesStatus(let status):
            guard let currentStatus = node.state.status, currentStatus != status else { return nil }
            nextNode.state.status = status
            nextNode.state.isUntouched = false
            // Before the player has paused, an action of the user looks like an effect of the pause command.
            nextNode.state.messages.append(.status(status, byUser: node.state.hasPaused))
        case .playerExits:
            guard node.state.status != nil else { return nil }
            (nextNode.state.status, nextNode.state.commands, nextNode.state.hasPaused, nextNode.state.isUntouched) = (
                nil, [], false, false
            )
            nextNode.state.messages.append(.exited)
        case .playerStarts:
            guard node.state.status == nil, node.state.messages.isEmpty else { return nil }
            nextNode.state.status = .playing
            nextNode.state.isUntouched = false
            nextNode.state.messages += [.started, .status(.playing, byUser: false)]
        case .messageArrives:
            guard !node.state.messages.isEmpty else { return nil }
            switch nextNode.state.messages.removeFirst() {
            case .status(let status, let byUser):
                inputs = [.status(Simulation.id, status)]
                if byUser, status != .paused { nextNode.state.isPausedByMachine = false }
            case .refused(let action): inputs = [.callFailed(Simulation.id, action)]
            case .exited:
                inputs = [.playerDisconnected(Simulation.id)]
                nextNode.state.isPausedByMachine = false
            case .started: inputs = [.playerConnected(Simulation.id)]
            }
        }
        for input in inputs {
            for action in nextNode.state.machine.handle(input) { issue(action, &nextNode) }
            // After a failed pause command, a later pause of the player is an action of its user.
            if case .callFailed(_, .pause) = input { nextNode.state.isPausedByMachine = false }
        }
        if !nextNode.state.machine.isSilenceRequested { nextNode.state.isPausedByMachine = false }
        checkFinalStatus(&nextNode)
        // These values do not affect the invariants of a player that its user has operated. Clear them to merge states.
        if !nextNode.state.isUntouched { (nextNode.state.initialStatus, nextNode.state.alwaysNotified) = (nil, false) }
        // Bound the number of pending messages and commands.
        return nextNode.state.messages.count <= 3 && nextNode.state.commands.count <= 3 ? nextNode : nil
    }

    /// Checks a command of `ExternalPlayers` and sends it to the simulated player.
    private static func issue(_ action: ExternalPlayers.Action, _ node: inout Node) {
        switch action {
        case .pause:
            if !node.state.machine.isSilenceRequested {
                node.violations.append("paused although no silence was requested")
            }
            if node.state.isPausedByMachine { node.violations.append("paused twice") }
            if node.state.commands.isEmpty, node.state.messages.isEmpty, node.state.status != .playing {
                node.violations.append("paused although it did not play")
            }
            node.state.isPausedByMachine = true
            node.state.hasPaused = false
            // These reports were sent before the pause command, so they do not show that the user acted after the
            // command.
            node.state.messages = node.state.messages.map {
                if case .status(let status, _) = $0 { .status(status, byUser: false) } else { $0 }
            }
        case .play:
            if node.state.machine.isSilenceRequested { node.violations.append("resumed during a silence") }
            if !node.state.isPausedByMachine {
                node.violations.append("resumed although the machine had not paused it")
            }
            node.state.isPausedByMachine = false
        }
        if node.state.status != nil { node.state.commands.append(action) }
        if node.state.isUntouched, node.state.commands.count > 2 {
            node.violations.append("more than two commands are pending")
        }
    }

    /// Checks the player's final status if no command and no message is pending.
    private static func checkFinalStatus(_ node: inout Node) {
        let state = node.state
        guard state.commands.isEmpty, state.messages.isEmpty, state.isUntouched, state.alwaysNotified else { return }
        if node.state.machine.isSilenceRequested, state.status == .playing {
            node.violations.append("plays during a silence")
        }
        if !node.state.machine.isSilenceRequested, state.status != state.initialStatus {
            node.violations.append("did not return to its first status")
        }
    }

    /// Returns the start state of the simulation for a player with this status; nil for a player that does not run.
    private static func initialNode(_ initialStatus: ExternalPlayers.Status?) -> Node {
        var node = Node(state: Simulation(status: initialStatus, initialStatus: initialStatus))
        if let initialStatus {
            _ = node.state.machine.handle(.playerFound(Simulation.id))
            node.state.messages = [.status(initialStatus, byUser: false)]
        }
        return node
    }

    /// Visits all reachable states of the simulation. Returns the number of states, the states that violate an
    /// invariant, and all reached values of `StatusCause`.
    private static func explore() -> (count: Int, violatingNodes: [Node], causes: Set<ExternalPlayers.StatusCause>) {
        var visitedStates: Set<Simulation> = [], nodes = [.playing, .paused, .stopped, nil].map { initialNode($0) }
        var violatingNodes: [Node] = [], causes: Set<ExternalPlayers.StatusCause> = []
        var index = 0
        while index < nodes.count {
            let node = nodes[index]
            index += 1
            for event in allEvents {
                guard let reachedNode = step(node, event) else { continue }
                if let cause = reachedNode.state.machine.statusCause(of: Simulation.id) { causes.insert(cause) }
                if !reachedNode.violations.isEmpty {
                    violatingNodes.append(reachedNode)
                } else if visitedStates.insert(reachedNode.state).inserted {
                    nodes.append(reachedNode)
                }
            }
        }
        return (nodes.count, violatingNodes, causes)
    }

    @Test func everyOrderOfEventsKeepsInvariants() {
        let (count, violatingNodes, causes) = Self.explore()
        for node in violatingNodes.prefix(3) { Issue.record("\(node.violations): \(node.path.map(\.name))") }
        #expect(violatingNodes.isEmpty && count > 100, "\(count) states")
        #expect(causes.count == 5, "every cause is reached: \(causes)")
    }
}
