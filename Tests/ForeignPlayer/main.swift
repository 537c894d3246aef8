import DesktopBus
import Glibc
import SystemCalls

// A simulated MPRIS player of another project. `ForeignPlayer NAME STATUS` owns org.mpris.MediaPlayer2.NAME, changes
// its status on request and writes a line for each method call. It exits when the bus exits or a client calls Quit.

/// Writes a line to standard output at once.
func writeLine(_ line: String) { _ = (line + "\n").withCString { write(1, $0, strlen($0)) } }

/// An MPRIS player that changes its status on request but plays no media.
final class SimulatedPlayer {
    private static let interface = "org.mpris.MediaPlayer2.Player"
    private static let path = "/org/mpris/MediaPlayer2"
    private let connection: BusConnection
    /// The registration that keeps the object exported on the bus.
    private var slot: BusSlot?
    /// The MPRIS playback status: `Playing`, `Paused` or `Stopped`.
    private var status: String
    private var hasQuit = false

    init(name: String, status: String) throws(BusError) {
        self.status = status
        connection = try BusConnection()
        slot = try connection.export(BusObject([rootInterface, playerInterface]), at: Self.path)
        try connection.requestName("org.mpris.MediaPlayer2.\(name)") { ownsName in
            writeLine(ownsName ? "ready" : "the name is taken")
        }
    }

    /// The interface `org.mpris.MediaPlayer2`.
    private var rootInterface: BusInterface {
        BusInterface(
            "org.mpris.MediaPlayer2",
            methods: [
                .init("Quit") { [unowned self] _ in
                    hasQuit = true
                    return []
                }
            ],
            properties: [.init("Identity", "s") { .string("Simulated player") }, .init("CanQuit", "b") { .bool(true) }])
    }

    /// The interface `org.mpris.MediaPlayer2.Player`; each method call writes the name of the method.
    private var playerInterface: BusInterface {
        func method(_ name: String, _ changeState: @escaping (SimulatedPlayer) -> Void) -> BusInterface.Method {
            .init(name) { [unowned self] _ in
                writeLine(name)
                changeState(self)
                return []
            }
        }
        return BusInterface(
            Self.interface,
            methods: [
                method("Play") { $0.setStatus("Playing") },
                method("Pause") { if $0.status == "Playing" { $0.setStatus("Paused") } },
                method("Stop") { $0.setStatus("Stopped") },
                method("PlayPause") { $0.setStatus($0.status == "Playing" ? "Paused" : "Playing") },
            ],
            properties: [.init("PlaybackStatus", "s") { [unowned self] in .string(status) }]
                + ["CanControl", "CanPlay", "CanPause"].map { .init($0, "b") { .bool(true) } })
    }

    /// Changes the status and emits the change on the bus.
    private func setStatus(_ newStatus: String) {
        guard newStatus != status else { return }
        status = newStatus
        try? connection.emitChanges(["PlaybackStatus": .string(newStatus)], of: Self.interface, at: Self.path)
    }

    /// Processes bus messages until a client calls `Quit`.
    func run() throws {
        while !hasQuit {
            var entries = [Poll.Entry(connection.descriptor, connection.events)]
            try Poll.wait(&entries, until: connection.deadline)
            try connection.process()
        }
    }
}

let usage = """
    usage: ForeignPlayer NAME Playing|Paused|Stopped
           ForeignPlayer --screensaver PATH|portal [SECONDS BEFORE A REPLY]
    """
guard (3...4).contains(CommandLine.arguments.count) else {
    writeLine(usage)
    exit(64)
}
do {
    if CommandLine.arguments[1] == "--screensaver" {
        let replyDelay = CommandLine.arguments.dropFirst(3).first.flatMap(Double.init) ?? 0
        try ScreenSaverService(CommandLine.arguments[2], replyDelay: replyDelay).run()
    } else {
        try SimulatedPlayer(name: CommandLine.arguments[1], status: CommandLine.arguments[2]).run()
    }
} catch {
    writeLine("\(error)")
    exit(1)
}
