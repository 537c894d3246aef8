import Testing

@testable import Compositor

/// Explores every order of commands, user actions and messages between one external player, its user and the
/// compositor. The state machine under test is `ExternalPlayers`, which pauses external players while SwiftPlay's
/// programs request silence.
@Suite struct ExternalPlayersModelTests {
    /// A possible next event of the simulation.
    private enum Move: Hashable {
        /// A program requests silence.
        case requested
        /// The last program ends its request for silence; with `notify`, paused players may resume.
        case released(notify: Bool)
        /// The player executes the oldest pending command (`executes`), or replies to it with an error (`rejects`).
        case executes, rejects
        /// The oldest message of the player arrives at the compositor.
        case arrives
        /// The user changes the player's status.
        case user(ExternalPlayers.Status)
        /// The player's process exits (`exits`) or starts (`starts`).
        case exits, starts

        /// A description of the event for failure messages.
        var name: String {
            switch self {
            case .requested: "requested"
            case .released(let notify): notify ? "released with notify" : "released"
            case .executes: "executes"
            case .rejects: "rejects"
            case .arrives: "arrives"
            case .user(let status): "user: \(status.rawValue)"
            case .exits: "exits"
            case .starts: "starts"
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
        /// Whether every end of a silence permitted paused players to resume (`notify`).
        var alwaysNotified = true
        /// Whether the last command to the player was a pause, and no later message shows an action of the user.
        var isPausedByMachine = false
        /// Whether the player has executed the last pause command.
        var hasPaused = false
    }

    /// A state of the simulation that was reached, the events that lead to it, and the invariants that it violates.
    private struct Node {
        var world: Simulation
        /// The events that lead from the start state to this state.
        var path: [Move] = []
        /// A description of each violated invariant.
        var violations: [String] = []
    }

    /// All events that the simulation tries in each state.
    private static let moves: [Move] = [
        .requested, .released(notify: true), .released(notify: false), .executes, .rejects, .arrives, .user(.playing),
        .user(.paused), .user(.stopped),
        .exits, .starts,
    ]

    /// Returns the state after an event; nil if the event cannot happen now.
    private static func step(_ node: Node, _ move: Move) -> Node? {
        var next = node
        next.path.append(move)
        var inputs: [ExternalPlayers.Input] = []
        switch move {
        case .requested: inputs = [.silence(.requested)]
        case .released(let notify):
            inputs = [.silence(.released(notify: notify))]
            if node.world.machine.isSilenceRequested, !notify { next.world.alwaysNotified = false }
        case .executes, .rejects:
            guard !node.world.commands.isEmpty else { return nil }
            let action = next.world.commands.removeFirst()
            guard move == .executes else {
                next.world.messages.append(.refused(action))
                next.world.isUntouched = false
                break
            }
            let new: ExternalPlayers.Status? =
                switch (action, node.world.status) {
                case (.pause, .playing): .paused
                case (.play, .paused), (.play, .stopped): .playing
                default: nil
                }
            guard node.world.status != nil, let new else { break }
            if new == .paused { next.world.hasPaused = true }
            next.world.status = new
            next.world.messages.append(.status(new, byUser: false))
        case .user(let status):
            guard let now = node.world.status, now != status else { return nil }
            next.world.status = status
            next.world.isUntouched = false
            // Before the player has paused, an action of the user looks like an effect of the pause command.
            next.world.messages.append(.status(status, byUser: node.world.hasPaused))
        case .exits:
            guard node.world.status != nil else { return nil }
            (next.world.status, next.world.commands, next.world.hasPaused, next.world.isUntouched) = (
                nil, [], false, false
            )
            next.world.messages.append(.exited)
        case .starts:
            guard node.world.status == nil, node.world.messages.isEmpty else { return nil }
            next.world.status = .playing
            next.world.isUntouched = false
            next.world.messages += [.started, .status(.playing, byUser: false)]
        case .arrives:
            guard !node.world.messages.isEmpty else { return nil }
            switch next.world.messages.removeFirst() {
            case .status(let status, let byUser):
                inputs = [.status(Simulation.id, status)]
                if byUser, status != .paused { next.world.isPausedByMachine = false }
            case .refused(let action): inputs = [.failed(Simulation.id, action)]
            case .exited:
                inputs = [.vanished(Simulation.id)]
                next.world.isPausedByMachine = false
            case .started: inputs = [.appeared(Simulation.id)]
            }
        }
        for input in inputs {
            for action in next.world.machine.handle(input) { issue(action, &next) }
            // After a failed pause command, a later pause of the player is an action of its user.
            if case .failed(_, .pause) = input { next.world.isPausedByMachine = false }
        }
        if !next.world.machine.isSilenceRequested { next.world.isPausedByMachine = false }
        checkFinalStatus(&next)
        // These values do not affect the invariants of a player that its user has operated. Clear them to merge states.
        if !next.world.isUntouched { (next.world.initialStatus, next.world.alwaysNotified) = (nil, false) }
        // Bound the number of pending messages and commands.
        return next.world.messages.count <= 3 && next.world.commands.count <= 3 ? next : nil
    }

    /// Checks a command of `ExternalPlayers` and sends it to the simulated player.
    private static func issue(_ action: ExternalPlayers.Action, _ node: inout Node) {
        switch action {
        case .pause:
            if !node.world.machine.isSilenceRequested {
                node.violations.append("paused although no silence was requested")
            }
            if node.world.isPausedByMachine { node.violations.append("paused twice") }
            if node.world.commands.isEmpty, node.world.messages.isEmpty, node.world.status != .playing {
                node.violations.append("paused although it did not play")
            }
            node.world.isPausedByMachine = true
            node.world.hasPaused = false
            // These reports were sent before the pause command, so they do not show that the user acted after the
            // command.
            node.world.messages = node.world.messages.map {
                if case .status(let status, _) = $0 { .status(status, byUser: false) } else { $0 }
            }
        case .play:
            if node.world.machine.isSilenceRequested { node.violations.append("resumed during a silence") }
            if !node.world.isPausedByMachine {
                node.violations.append("resumed although the machine had not paused it")
            }
            node.world.isPausedByMachine = false
        }
        if node.world.status != nil { node.world.commands.append(action) }
        if node.world.isUntouched, node.world.commands.count > 2 {
            node.violations.append("more than two commands are pending")
        }
    }

    /// Checks the player's final status if no command and no message is pending.
    private static func checkFinalStatus(_ node: inout Node) {
        let world = node.world
        guard world.commands.isEmpty, world.messages.isEmpty, world.isUntouched, world.alwaysNotified else { return }
        if node.world.machine.isSilenceRequested, world.status == .playing {
            node.violations.append("plays during a silence")
        }
        if !node.world.machine.isSilenceRequested, world.status != world.initialStatus {
            node.violations.append("did not return to its first status")
        }
    }

    /// Returns the start state of the simulation for a player with the status `first`; nil: the player does not run.
    private static func initialNode(_ first: ExternalPlayers.Status?) -> Node {
        var start = Node(world: Simulation(status: first, initialStatus: first))
        if let first {
            _ = start.world.machine.handle(.found(Simulation.id))
            start.world.messages = [.status(first, byUser: false)]
        }
        return start
    }

    /// Visits all reachable states of the simulation. Returns the number of states, the states that violate an
    /// invariant, and all reached values of `StatusCause`.
    private static func explore() -> (count: Int, broken: [Node], causes: Set<ExternalPlayers.StatusCause>) {
        var seen: Set<Simulation> = [], nodes = [.playing, .paused, .stopped, nil].map { initialNode($0) }
        var broken: [Node] = [], causes: Set<ExternalPlayers.StatusCause> = []
        var index = 0
        while index < nodes.count {
            let node = nodes[index]
            index += 1
            for move in moves {
                guard let reached = step(node, move) else { continue }
                if let statusCause = reached.world.machine.statusCause(of: Simulation.id) { causes.insert(statusCause) }
                if !reached.violations.isEmpty {
                    broken.append(reached)
                } else if seen.insert(reached.world).inserted {
                    nodes.append(reached)
                }
            }
        }
        return (nodes.count, broken, causes)
    }

    @Test func everyOrderOfEventsKeepsInvariants() {
        let (count, broken, causes) = Self.explore()
        for node in broken.prefix(3) { Issue.record("\(node.violations): \(node.path.map(\.name))") }
        #expect(broken.isEmpty && count > 100, "\(count) states")
        #expect(causes.count == 5, "every cause is reached: \(causes)")
    }
}
