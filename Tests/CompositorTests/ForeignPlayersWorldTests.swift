import Testing

@testable import Compositor

/// One player, its user and our programs, in every order in which words, deeds and signals can meet.
@Suite struct ForeignPlayersWorldTests {
    private enum Move: Hashable {
        case wanted
        case released(notify: Bool)
        /// The player does the next thing that it was told to, or says that it will not.
        case obeys, refuses
        /// What the player says reaches us.
        case heard
        case user(ForeignPlayers.Status)
        case quits, comes

        var name: String {
            switch self {
            case .wanted: "wanted"
            case .released(let notify): notify ? "released with notify" : "released"
            case .obeys: "obeys"
            case .refuses: "refuses"
            case .heard: "heard"
            case .user(let status): "user: \(status.rawValue)"
            case .quits: "quits"
            case .comes: "comes"
            }
        }
    }

    private enum Word: Hashable {
        case status(ForeignPlayers.Status, byUser: Bool)
        case refused(ForeignPlayers.Action)
        case gone, come
    }

    /// What is so, and what has been so.
    private struct World: Hashable {
        static let id = "p"
        var machine = ForeignPlayers()
        var status: ForeignPlayers.Status?
        /// As it was at first.
        var first: ForeignPlayers.Status?
        var told: [ForeignPlayers.Action] = []
        var words: [Word] = []
        /// Nobody but us has done anything with it, and all that was told was done.
        var isUntouched = true
        var alwaysNotified = true
        /// We told it to pause and not to play since, and heard of no hand but ours.
        var isOurs = false
        /// It has done so.
        var hasPaused = false
    }

    private struct Node {
        var world: World
        var path: [Move] = []
        var complaints: [String] = []
    }

    private static let moves: [Move] = [
        .wanted, .released(notify: true), .released(notify: false), .obeys, .refuses, .heard, .user(.playing),
        .user(.paused), .user(.stopped),
        .quits, .comes,
    ]

    /// nil: it cannot happen now.
    private static func step(_ node: Node, _ move: Move) -> Node? {
        var next = node
        next.path.append(move)
        var inputs: [ForeignPlayers.Input] = []
        switch move {
        case .wanted: inputs = [.silence(.wanted)]
        case .released(let notify):
            inputs = [.silence(.released(notify: notify))]
            if node.world.machine.isSilenceWanted, !notify { next.world.alwaysNotified = false }
        case .obeys, .refuses:
            guard !node.world.told.isEmpty else { return nil }
            let action = next.world.told.removeFirst()
            guard move == .obeys else {
                next.world.words.append(.refused(action))
                next.world.isUntouched = false
                break
            }
            let new: ForeignPlayers.Status? =
                switch (action, node.world.status) {
                case (.pause, .playing): .paused
                case (.play, .paused), (.play, .stopped): .playing
                default: nil
                }
            guard node.world.status != nil, let new else { break }
            if new == .paused { next.world.hasPaused = true }
            next.world.status = new
            next.world.words.append(.status(new, byUser: false))
        case .user(let status):
            guard let now = node.world.status, now != status else { return nil }
            next.world.status = status
            next.world.isUntouched = false
            // What he does before it has paused cannot be told from our doing.
            next.world.words.append(.status(status, byUser: node.world.hasPaused))
        case .quits:
            guard node.world.status != nil else { return nil }
            (next.world.status, next.world.told, next.world.hasPaused, next.world.isUntouched) = (nil, [], false, false)
            next.world.words.append(.gone)
        case .comes:
            guard node.world.status == nil, node.world.words.isEmpty else { return nil }
            next.world.status = .playing
            next.world.isUntouched = false
            next.world.words += [.come, .status(.playing, byUser: false)]
        case .heard:
            guard !node.world.words.isEmpty else { return nil }
            switch next.world.words.removeFirst() {
            case .status(let status, let byUser):
                inputs = [.status(World.id, status)]
                if byUser, status != .paused { next.world.isOurs = false }
            case .refused(let action): inputs = [.failed(World.id, action)]
            case .gone:
                inputs = [.vanished(World.id)]
                next.world.isOurs = false
            case .come: inputs = [.appeared(World.id)]
            }
        }
        for input in inputs {
            for action in next.world.machine.handle(input) { tell(action, &next) }
            // From now on its pause is its user's.
            if case .failed(_, .pause) = input { next.world.isOurs = false }
        }
        if !next.world.machine.isSilenceWanted { next.world.isOurs = false }
        settle(&next)
        // All that is promised of one that was touched does not depend on these.
        if !next.world.isUntouched { (next.world.first, next.world.alwaysNotified) = (nil, false) }
        // As far as they pile up in practice.
        return next.world.words.count <= 3 && next.world.told.count <= 3 ? next : nil
    }

    private static func tell(_ action: ForeignPlayers.Action, _ node: inout Node) {
        switch action {
        case .pause:
            if !node.world.machine.isSilenceWanted { node.complaints.append("paused without need") }
            if node.world.isOurs { node.complaints.append("paused twice") }
            if node.world.told.isEmpty, node.world.words.isEmpty, node.world.status != .playing {
                node.complaints.append("paused, and did not play")
            }
            node.world.isOurs = true
            node.world.hasPaused = false
            // What its user did before is not his last word.
            node.world.words = node.world.words.map {
                if case .status(let status, _) = $0 { .status(status, byUser: false) } else { $0 }
            }
        case .play:
            if node.world.machine.isSilenceWanted { node.complaints.append("told to play in the silence") }
            if !node.world.isOurs { node.complaints.append("told to play, and was not ours") }
            node.world.isOurs = false
        }
        if node.world.status != nil { node.world.told.append(action) }
        if node.world.isUntouched, node.world.told.count > 2 {
            node.complaints.append("told faster than it can follow")
        }
    }

    /// When all has been said and done.
    private static func settle(_ node: inout Node) {
        let world = node.world
        guard world.told.isEmpty, world.words.isEmpty, world.isUntouched, world.alwaysNotified else { return }
        if node.world.machine.isSilenceWanted, world.status == .playing {
            node.complaints.append("plays in the silence")
        }
        if !node.world.machine.isSilenceWanted, world.status != world.first {
            node.complaints.append("is not as it was")
        }
    }

    private static func beginning(_ first: ForeignPlayers.Status?) -> Node {
        var start = Node(world: World(status: first, first: first))
        if let first {
            _ = start.world.machine.handle(.found(World.id))
            start.world.words = [.status(first, byUser: false)]
        }
        return start
    }

    private static func explore() -> (count: Int, broken: [Node], roles: Set<ForeignPlayers.Role>) {
        var seen: Set<World> = [], nodes = [.playing, .paused, .stopped, nil].map { beginning($0) }
        var broken: [Node] = [], roles: Set<ForeignPlayers.Role> = []
        var index = 0
        while index < nodes.count {
            let node = nodes[index]
            index += 1
            for move in moves {
                guard let reached = step(node, move) else { continue }
                if let role = reached.world.machine.role(of: World.id) { roles.insert(role) }
                if !reached.complaints.isEmpty {
                    broken.append(reached)
                } else if seen.insert(reached.world).inserted {
                    nodes.append(reached)
                }
            }
        }
        return (nodes.count, broken, roles)
    }

    @Test func everyOrderOfEventsKeepsInvariants() {
        let (count, broken, roles) = Self.explore()
        for node in broken.prefix(3) { Issue.record("\(node.complaints): \(node.path.map(\.name))") }
        #expect(broken.isEmpty && count > 100, "\(count) states")
        #expect(roles.count == 5, "every role is reached: \(roles)")
    }
}
