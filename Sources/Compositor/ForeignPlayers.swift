/// Other people's players on the session bus (MPRIS), while a program of ours plays what does not mix with them. A pure
/// value.
///
/// Those that play when the silence begins are paused; when it is released with notify, those of them that nobody has
/// touched since play on. What the user starts meanwhile is left alone: the last gesture wins, as between our own
/// programs.
package struct ForeignPlayers: Hashable, Sendable {
    /// A player, by the name that the bus gives its connection: it may have more than one of its own.
    package typealias ID = String

    package enum Silence: Equatable, Sendable {
        case wanted
        case released(notify: Bool)
    }

    package enum Status: String, Equatable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    package enum Input: Equatable, Sendable {
        case silence(Silence)
        /// It was there when we looked; its status is asked for.
        case found(ID)
        /// It came while we watched; its status is asked for.
        case appeared(ID)
        case status(ID, Status)
        case vanished(ID)
        /// It was not done, or not answered in time; `nil`: the question for its status.
        case failed(ID, Action?)
        /// The bus is gone, and what was known with it.
        case lost
    }

    package enum Action: Hashable, Sendable {
        case pause(ID)
        case play(ID)
    }

    /// Whose doing it is how a player is.
    enum Role: Hashable, Sendable {
        /// Its status is not known yet.
        case asked
        /// Its user's.
        case theirs
        /// It was told to pause, and has not said that it has. What it says until then is older.
        case pausing
        case paused
        /// It was told to play, and has not said that it does.
        case resuming
    }

    private struct Player: Hashable, Sendable {
        var role: Role
        /// As it is, or will be when it has done what it was told.
        var status: Status?
    }

    /// More are not looked after.
    package static let playerLimit = 64

    package private(set) var isSilenceWanted = false
    private var players: [ID: Player] = [:]

    package init() {}

    func role(of id: ID) -> Role? { players[id]?.role }

    package mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .silence(.wanted):
            guard !isSilenceWanted else { return [] }
            isSilenceWanted = true
            return players.keys.sorted().filter { players[$0]?.role == .theirs && players[$0]?.status == .playing }.map
            { pause($0) }
        case .silence(.released(let notify)):
            guard isSilenceWanted else { return [] }
            isSilenceWanted = false
            let ours = players.keys.sorted().filter { players[$0]?.role == .pausing || players[$0]?.role == .paused }
            if notify { return ours.map { play($0) } }
            for id in ours { players[id]?.role = .theirs }
        case .found(let id): add(id, .asked)
        // What begins during the silence was begun by the user.
        case .appeared(let id): add(id, isSilenceWanted ? .theirs : .asked)
        case .status(let id, let status): return heard(status, from: id)
        case .vanished(let id): players[id] = nil
        case .failed(let id, let action): failed(id, action)
        case .lost: players = [:]
        }
        return []
    }

    private mutating func add(_ id: ID, _ role: Role) {
        guard players[id] == nil, players.count < Self.playerLimit else { return }
        players[id] = Player(role: role)
    }

    private mutating func pause(_ id: ID) -> Action {
        players[id] = Player(role: .pausing, status: .paused)
        return .pause(id)
    }

    private mutating func play(_ id: ID) -> Action {
        players[id] = Player(role: .resuming, status: .playing)
        return .play(id)
    }

    private mutating func heard(_ status: Status, from id: ID) -> [Action] {
        guard let player = players[id] else { return [] }
        switch (player.role, status) {
        case (.asked, .playing) where isSilenceWanted: return [pause(id)]
        // Told to play, and in another silence already: it is told to pause when it does, so that it hears the two in
        // order.
        case (.resuming, .playing) where isSilenceWanted: return [pause(id)]
        case (.pausing, .playing), (.resuming, .paused): break
        case (.pausing, .paused), (.paused, .paused): players[id]?.role = .paused
        default: players[id] = Player(role: .theirs, status: status)
        }
        return []
    }

    private mutating func failed(_ id: ID, _ action: Action?) {
        switch (players[id]?.role, action) {
        case (.asked, nil): players[id]?.role = .theirs
        case (.pausing, .pause): players[id] = Player(role: .theirs, status: .playing)
        // Paused by its user in the same moment, it seems.
        case (.paused, .pause): players[id]?.role = .theirs
        case (.resuming, .play): players[id] = Player(role: .theirs, status: .paused)
        default: break
        }
    }
}
