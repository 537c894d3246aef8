import AudioPolicy

/// The registry of connected programs: their processes, visibility and rights. A pure value.
///
/// It is the only place that stores these; all services read them here.
struct ProgramRegistry: Equatable {
    /// A service that a program has used since it connected.
    enum Role: CaseIterable, Hashable, Sendable {
        /// Picture-in-Picture sessions.
        case picture
        /// Audio sessions.
        case audio
        /// Announcements and queries of system-wide conditions.
        case control
    }

    /// A connected program.
    struct Program: Equatable {
        let id: UInt64
        /// The process ID; 0 for a process of another PID namespace.
        let processID: Int32
        /// The name that the program gives itself.
        var name = ""
        /// The protocol version that is used with the program; `nil` before `hello`.
        var version: UInt16?
        /// The program supports newer versions of the protocol, or of an interface, than this compositor.
        var isNewer = false
        fileprivate(set) var roles: Set<Role> = []
        /// The visibility that the program reports; `foreground` until the first report.
        var visibility = AudioArbiter.Presence.foreground
        /// Whether the program declares background audio. The user's setting can deny it.
        var declaresBackgroundAudio = true
        /// The host time until which a press of the floating window's play button lets the program start playback in
        /// the background.
        fileprivate var gestureUntil: Int64 = 0

        init(id: UInt64, processID: Int32) { (self.id, self.processID) = (id, processID) }

        func understands(_ version: UInt16) -> Bool { self.version.map { $0 >= version } == true }
    }

    /// The largest number of connections.
    static let limit = 128
    /// The largest number of connections of one process. A program has one, and a second one while it queries
    /// system-wide conditions.
    static let limitOfProcess = 8
    /// The largest number of connections of processes of other PID namespaces together: the kernel reports the ID 0 for
    /// each of them.
    static let limitOfForeignProcesses = 64
    /// Nanoseconds for which a user gesture counts.
    static let gesturePatience: Int64 = 5_000_000_000

    private var programs: [UInt64: Program] = [:]
    /// The user's setting: programs that declare background audio may play in the background.
    var allowsBackgroundAudio = true

    var all: [Program] { programs.values.sorted { $0.id < $1.id } }
    var isEmpty: Bool { programs.isEmpty }

    subscript(id: UInt64) -> Program? { programs[id] }

    mutating func add(_ program: Program) { programs[program.id] = program }
    mutating func remove(_ id: UInt64) { programs[id] = nil }

    /// Changes the entry of a program if it is still connected.
    mutating func update(_ id: UInt64, _ change: (inout Program) -> Void) {
        guard var program = programs[id] else { return }
        change(&program)
        programs[id] = program
    }

    /// Notes that a program has used a service.
    mutating func note(_ role: Role, of id: UInt64) { programs[id]?.roles.insert(role) }

    /// Returns whether a program may start playback in the background and play while the screen is locked.
    func mayPlayInBackground(_ id: UInt64) -> Bool {
        allowsBackgroundAudio && programs[id]?.declaresBackgroundAudio == true
    }

    /// Returns the reason to refuse another connection of a process; `nil` to accept it.
    func reasonToRefuse(_ processID: Int32) -> String? {
        guard programs.count < Self.limit else { return "too many programs are connected" }
        let limit = processID == 0 ? Self.limitOfForeignProcesses : Self.limitOfProcess
        guard programs.values.count(where: { $0.processID == processID }) < limit else {
            return "the program has too many connections"
        }
        return nil
    }

    /// Notes that the user pressed play for a program.
    mutating func noteGesture(_ id: UInt64, now: Int64) { programs[id]?.gestureUntil = now + Self.gesturePatience }

    /// Returns whether the user recently pressed play for a program, and clears that gesture.
    mutating func takeGesture(_ id: UInt64, now: Int64) -> Bool {
        guard let program = programs[id], now < program.gestureUntil else { return false }
        programs[id]?.gestureUntil = 0
        return true
    }
}
