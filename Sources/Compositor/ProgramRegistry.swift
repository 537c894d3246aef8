import AudioPolicy
import CompositorProtocol

/// The registry of connected programs: their processes, visibility and rights. A pure value.
///
/// All services read and change this state here and keep no copies.
struct ProgramRegistry: Equatable {
    /// A service of the compositor that a program has used since it connected.
    enum Service: CaseIterable, Hashable, Sendable {
        /// Picture-in-Picture sessions.
        case pictureInPicture
        /// Audio sessions.
        case audio
        /// Announcements and queries of system-wide conditions.
        case systemConditions
    }

    /// A connected program.
    struct Program: Equatable {
        /// The number of the connection.
        let id: UInt64
        /// The process ID; 0 for a process of another PID namespace.
        let processID: Int32
        /// The name that the program gives itself.
        var name = ""
        /// The protocol version that is used with the program; `nil` before `hello`.
        var version: UInt16?
        /// Whether the program supports newer versions of the protocol, or of an interface, than this compositor.
        var isNewer = false
        /// The versions of the interfaces that are used with the program.
        var interfaces = InterfaceVersions()
        /// Whether the compositor may end the program when memory is short.
        var isRestartable = false
        /// The services that the program has used.
        fileprivate(set) var services: Set<Service> = []
        /// The visibility that the program reports; `foreground` until the first report.
        var visibility = AudioArbiter.Visibility.foreground
        /// The state of the program's windows, as the program reports it; `nil` until the first report.
        var presence: ProgramPresence?
        /// Whether the program declares background audio. The user's setting can deny it.
        var declaresBackgroundAudio = true
        /// The host time until which a press of the floating window's play button lets the program start playback in
        /// the background.
        fileprivate var playButtonPressDeadline: Int64 = 0

        /// Creates the state of a program that has sent no message yet.
        init(id: UInt64, processID: Int32) { (self.id, self.processID) = (id, processID) }

        /// Returns whether the protocol version that is used with the program is `version` or newer.
        func supports(_ version: UInt16) -> Bool { self.version.map { $0 >= version } == true }
    }

    /// The largest number of connections of all programs.
    static let connectionLimit = 128
    /// The largest number of connections of one process. A program has one, and a second one while it queries
    /// system-wide conditions.
    static let connectionLimitOfProcess = 8
    /// The largest number of connections of processes of other PID namespaces together: the kernel reports the ID 0 for
    /// each of them.
    static let connectionLimitOfForeignProcesses = 64
    /// Nanoseconds after a press of the play button during which the program may start playback in the background.
    static let playButtonPressLifetime: Int64 = 5_000_000_000

    /// The connected programs by the numbers of their connections.
    private var programs: [UInt64: Program] = [:]
    /// Whether the user's settings let programs that declare background audio play in the background.
    var allowsBackgroundAudio = true

    /// All connected programs, in order of their connection.
    var all: [Program] { programs.values.sorted { $0.id < $1.id } }
    /// Whether no program is connected.
    var isEmpty: Bool { programs.isEmpty }

    /// The program with this connection number; `nil` if it is not connected.
    subscript(id: UInt64) -> Program? { programs[id] }

    /// Adds a connected program.
    mutating func add(_ program: Program) { programs[program.id] = program }
    /// Removes a disconnected program.
    mutating func remove(_ id: UInt64) { programs[id] = nil }

    /// Changes the state of a program if it is still connected.
    mutating func update(_ id: UInt64, _ change: (inout Program) -> Void) {
        guard var program = programs[id] else { return }
        change(&program)
        programs[id] = program
    }

    /// Records that a program has used a service.
    mutating func addService(_ service: Service, of id: UInt64) {
        programs[id]?.services.insert(service)
    }

    /// Returns whether a program may start playback in the background and play while the screen is locked.
    func mayPlayInBackground(_ id: UInt64) -> Bool {
        allowsBackgroundAudio && programs[id]?.declaresBackgroundAudio == true
    }

    /// Returns the reason to refuse another connection of a process; `nil` to accept it.
    func reasonToRefuse(_ processID: Int32) -> String? {
        guard programs.count < Self.connectionLimit else { return "too many programs are connected" }
        let limit = processID == 0 ? Self.connectionLimitOfForeignProcesses : Self.connectionLimitOfProcess
        guard programs.values.count(where: { $0.processID == processID }) < limit else {
            return "the program has too many connections"
        }
        return nil
    }

    /// Records that the user pressed the play button of a program's floating window.
    mutating func recordPlayButtonPress(_ id: UInt64, now: Int64) {
        programs[id]?.playButtonPressDeadline = now + Self.playButtonPressLifetime
    }

    /// Returns whether the user recently pressed the play button of a program's floating window, and removes the record
    /// of that press.
    mutating func takePlayButtonPress(_ id: UInt64, now: Int64) -> Bool {
        guard let program = programs[id], now < program.playButtonPressDeadline else { return false }
        programs[id]?.playButtonPressDeadline = 0
        return true
    }
}
