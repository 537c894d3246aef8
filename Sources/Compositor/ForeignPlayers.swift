/// Decides which external players on the session bus (MPRIS) are paused while a session that does not mix with others
/// plays. A pure value.
///
/// Players that play when the silence begins are paused. When it is released with `notify`, the paused players that the
/// user has not operated since then resume. A player that the user starts during the silence is left alone: the last
/// gesture wins, as between SwiftPlay programs.
package struct ForeignPlayers: Hashable, Sendable {
    /// The unique bus name of a player's connection. A connection may own several well-known names.
    package typealias ID = String

    /// Whether external players must be silent.
    package enum Silence: Equatable, Sendable {
        /// External players must be paused.
        case wanted
        /// External players may play; `notify`: the paused ones are resumed.
        case released(notify: Bool)
    }

    /// The value of the MPRIS property `PlaybackStatus`.
    package enum Status: String, Equatable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// An event of the bus or of the audio sessions.
    package enum Input: Equatable, Sendable {
        case silence(Silence)
        /// A player existed when the bus was listed. Its status was requested.
        case found(ID)
        /// A player connected after the bus was listed. Its status was requested.
        case appeared(ID)
        case status(ID, Status)
        case vanished(ID)
        /// A call failed or timed out; `nil` for the request of the status.
        case failed(ID, Action?)
        /// The connection to the bus ended; all players are forgotten.
        case lost
    }

    /// A call to a player.
    package enum Action: Hashable, Sendable {
        case pause(ID)
        case play(ID)
    }

    /// The cause of a player's current status.
    enum Role: Hashable, Sendable {
        /// The status was requested and is not known yet.
        case asked
        /// The user set the status.
        case theirs
        /// `Pause` was called, and the player has not confirmed it. Reports of `Playing` until then are older than the
        /// call.
        case pausing
        /// The player confirmed the pause.
        case paused
        /// `Play` was called, and the player has not confirmed it.
        case resuming
    }

    private struct Player: Hashable, Sendable {
        var role: Role
        /// The current status, or the status after the pending call.
        var status: Status?
    }

    /// The largest number of players. Further players are ignored.
    package static let playerLimit = 64

    /// Whether external players must be silent.
    package private(set) var isSilenceWanted = false
    private var players: [ID: Player] = [:]

    /// Creates a state without players, in which external players may play.
    package init() {}

    func role(of id: ID) -> Role? { players[id]?.role }

    /// Handles an event and returns the calls to make.
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
        // A player that connects during the silence was started by the user.
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
        // `Play` was called and another silence has begun. `Pause` follows the confirmation of `Play`, so that the
        // player receives the two calls in order.
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
        // The user probably paused the player at the same moment.
        case (.paused, .pause): players[id]?.role = .theirs
        case (.resuming, .play): players[id] = Player(role: .theirs, status: .paused)
        default: break
        }
    }
}
