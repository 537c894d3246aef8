/// Decides which external players are paused while a session that does not mix with others plays. An external player
/// is a program on the session bus with the interface MPRIS. A pure value.
///
/// The time during which external players must be paused is called the silence. Players that play when the silence
/// begins are paused. When the silence ends with `notify: true`, the paused players that the user has not operated
/// since then resume. A player that the user starts during the silence is not paused: the user's last action wins, as
/// between SwiftPlay programs.
package struct ExternalPlayers: Hashable, Sendable {
    /// The unique bus name of a player's connection. A connection may own several well-known names.
    package typealias ID = String

    /// The required state of external players.
    package enum Silence: Equatable, Sendable {
        /// External players must be paused.
        case requested
        /// External players may play. `notify`: whether the players that were paused for the silence resume.
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
        /// The silence, the time during which external players must be paused, begins or ends.
        case silence(Silence)
        /// A player was already connected when the compositor connected to the bus. Its status was requested.
        case playerFound(ID)
        /// A player connected to the bus after the compositor. Its status was requested.
        case playerConnected(ID)
        /// A player reported its status.
        case status(ID, Status)
        /// A player disconnected from the bus.
        case playerDisconnected(ID)
        /// A D-Bus method call to a player failed or timed out. The action is `nil` if the call requested the player's
        /// status.
        case callFailed(ID, Action?)
        /// The connection to the bus ended; all players are removed.
        case busDisconnected
    }

    /// A D-Bus method call to a player.
    package enum Action: Hashable, Sendable {
        /// Calls the player's method `Pause`.
        case pause(ID)
        /// Calls the player's method `Play`.
        case play(ID)
    }

    /// The reason why a player has its current status.
    enum StatusCause: Hashable, Sendable {
        /// The player's status was requested and is not known yet.
        case requestSent
        /// The user set the player's status.
        case setByUser
        /// `Pause` was called, and the player has not confirmed it. Until then, reports of `Playing` are older than
        /// this method call.
        case pausing
        /// The player confirmed the pause.
        case paused
        /// `Play` was called, and the player has not confirmed it.
        case resuming
    }

    /// A player's state as known from its reports and the method calls to it.
    private struct Player: Hashable, Sendable {
        /// The reason why the player has its status.
        var statusCause: StatusCause
        /// The current status, or the status after the pending method call; `nil` while it is not known.
        var status: Status?
    }

    /// The largest number of external players. Further players are ignored.
    package static let playerLimit = 64

    /// Whether external players must be silent.
    package private(set) var isSilenceRequested = false
    /// The external players on the session bus.
    private var players: [ID: Player] = [:]

    /// Creates a state without players, in which external players may play.
    package init() {}

    /// Returns the reason for a player's status; `nil` for an unknown player.
    func statusCause(of id: ID) -> StatusCause? { players[id]?.statusCause }

    /// Handles an event and returns the D-Bus method calls to make.
    package mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .silence(.requested):
            guard !isSilenceRequested else { return [] }
            isSilenceRequested = true
            let playingIDs = players.keys.sorted().filter {
                players[$0]?.statusCause == .setByUser && players[$0]?.status == .playing
            }
            return playingIDs.map { pause($0) }
        case .silence(.released(let notify)):
            guard isSilenceRequested else { return [] }
            isSilenceRequested = false
            let pausedIDs = players.keys.sorted().filter {
                players[$0]?.statusCause == .pausing || players[$0]?.statusCause == .paused
            }
            if notify { return pausedIDs.map { play($0) } }
            for id in pausedIDs { players[id]?.statusCause = .setByUser }
        case .playerFound(let id): add(id, .requestSent)
        // Do not pause a player that connects while external players must be paused: the user has probably just started
        // it.
        case .playerConnected(let id): add(id, isSilenceRequested ? .setByUser : .requestSent)
        case .status(let id, let status): return handleStatus(status, from: id)
        case .playerDisconnected(let id): players[id] = nil
        case .callFailed(let id, let action): handleFailure(of: action, id)
        case .busDisconnected: players = [:]
        }
        return []
    }

    /// Adds a player whose status is not known yet.
    private mutating func add(_ id: ID, _ statusCause: StatusCause) {
        guard players[id] == nil, players.count < Self.playerLimit else { return }
        players[id] = Player(statusCause: statusCause)
    }

    /// Records and returns the D-Bus method call that pauses a player.
    private mutating func pause(_ id: ID) -> Action {
        players[id] = Player(statusCause: .pausing, status: .paused)
        return .pause(id)
    }

    /// Records and returns the D-Bus method call that resumes a player.
    private mutating func play(_ id: ID) -> Action {
        players[id] = Player(statusCause: .resuming, status: .playing)
        return .play(id)
    }

    /// Handles a player's report of its status.
    private mutating func handleStatus(_ status: Status, from id: ID) -> [Action] {
        guard let player = players[id] else { return [] }
        switch (player.statusCause, status) {
        case (.requestSent, .playing) where isSilenceRequested: return [pause(id)]
        // `Play` was called and another silence has begun. `Pause` follows the confirmation of `Play`, so that the
        // player receives the two calls in order.
        case (.resuming, .playing) where isSilenceRequested: return [pause(id)]
        case (.pausing, .playing), (.resuming, .paused): break
        case (.pausing, .paused), (.paused, .paused): players[id]?.statusCause = .paused
        default: players[id] = Player(statusCause: .setByUser, status: status)
        }
        return []
    }

    /// Handles a failed D-Bus method call to a player; `action` is `nil` if the method call requested the player's
    /// status.
    private mutating func handleFailure(of action: Action?, _ id: ID) {
        switch (players[id]?.statusCause, action) {
        case (.requestSent, nil): players[id]?.statusCause = .setByUser
        case (.pausing, .pause): players[id] = Player(statusCause: .setByUser, status: .playing)
        // The user probably paused the player at the same moment.
        case (.paused, .pause): players[id]?.statusCause = .setByUser
        case (.resuming, .play): players[id] = Player(statusCause: .setByUser, status: .paused)
        default: break
        }
    }
}
