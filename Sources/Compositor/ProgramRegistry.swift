import AudioPolicy

/// What is known of the connected programs, whatever they use. A pure value.
///
/// All services read it, and none keeps a program's process, visibility or rights by itself.
struct ProgramRegistry: Equatable {
    /// A service that a program has used since it connected.
    enum Role: CaseIterable, Hashable, Sendable {
        /// Pictures that may float.
        case picture
        /// Audio sessions.
        case audio
        /// Announcements of what happens to the whole machine, and questions about it.
        case control
    }

    struct Program: Equatable {
        let id: UInt64
        /// 0 for a process of another PID namespace.
        let processID: Int32
        /// The name that the program gives itself.
        var name = ""
        /// The version of the protocol that is spoken with the program; nil before `hello`.
        var version: UInt16?
        /// The program speaks versions of the protocol, or of an interface, that this compositor does not know.
        var isNewer = false
        fileprivate(set) var roles: Set<Role> = []
        /// Where the program is seen, as it reports; in the foreground until it has reported.
        var visibility = AudioArbiter.Presence.foreground
        /// What the program declares; the user's setting may take it away.
        var declaresBackgroundAudio = true
        /// Host time until which the user's wish to play, told in the floating window, lets the program be heard from
        /// the background.
        fileprivate var gestureUntil: Int64 = 0

        init(id: UInt64, processID: Int32) { (self.id, self.processID) = (id, processID) }

        func understands(_ version: UInt16) -> Bool { self.version.map { $0 >= version } == true }
    }

    static let limit = 128
    /// Connections of one process. A program has one, and another while it asks about the whole machine.
    static let limitOfProcess = 8
    /// Connections of all processes of other PID namespaces: the kernel names each of them 0.
    static let limitOfForeignProcesses = 64
    /// Nanoseconds for which a gesture counts.
    static let gesturePatience: Int64 = 5_000_000_000

    private var programs: [UInt64: Program] = [:]
    /// The user's setting: programs may be heard in the background, if they declare so.
    var allowsBackgroundAudio = true

    var all: [Program] { programs.values.sorted { $0.id < $1.id } }
    var isEmpty: Bool { programs.isEmpty }

    subscript(id: UInt64) -> Program? { programs[id] }

    mutating func add(_ program: Program) { programs[program.id] = program }
    mutating func remove(_ id: UInt64) { programs[id] = nil }

    /// Changes what is known of a program, if it is still connected.
    mutating func update(_ id: UInt64, _ change: (inout Program) -> Void) {
        guard var program = programs[id] else { return }
        change(&program)
        programs[id] = program
    }

    /// Notes that a program uses a service.
    mutating func note(_ role: Role, of id: UInt64) { programs[id]?.roles.insert(role) }

    /// Returns whether a program may begin to be heard in the background, and be heard behind the lock.
    func mayPlayInBackground(_ id: UInt64) -> Bool {
        allowsBackgroundAudio && programs[id]?.declaresBackgroundAudio == true
    }

    /// Returns why one more connection of a process is not served; nil: it is.
    func reasonToRefuse(_ processID: Int32) -> String? {
        guard programs.count < Self.limit else { return "too many programs are connected" }
        let limit = processID == 0 ? Self.limitOfForeignProcesses : Self.limitOfProcess
        guard programs.values.count(where: { $0.processID == processID }) < limit else {
            return "the program has too many connections"
        }
        return nil
    }

    /// Notes that the user asked a program to play.
    mutating func noteGesture(_ id: UInt64, now: Int64) { programs[id]?.gestureUntil = now + Self.gesturePatience }

    /// Returns whether the user asked a program to play a moment ago; counts once.
    mutating func takeGesture(_ id: UInt64, now: Int64) -> Bool {
        guard let program = programs[id], now < program.gestureUntil else { return false }
        programs[id]?.gestureUntil = 0
        return true
    }
}
