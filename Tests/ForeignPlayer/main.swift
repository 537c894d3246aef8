import DesktopBus
import Glibc
import SystemCalls

// A player of somebody else's, as far as the bus can tell: `ForeignPlayer NAME STATUS` owns org.mpris.MediaPlayer2.NAME
// and does what its user (playerctl, say) and others ask for, with a line for each call. It ends with the bus, or when
// it is asked to quit.

func say(_ line: String) { _ = (line + "\n").withCString { write(1, $0, strlen($0)) } }

final class Film {
    private static let interface = "org.mpris.MediaPlayer2.Player"
    private static let path = "/org/mpris/MediaPlayer2"
    private let connection: BusConnection
    private var slot: BusSlot?
    private var status: String
    private var isOver = false

    init(name: String, status: String) throws(BusError) {
        self.status = status
        connection = try BusConnection()
        slot = try connection.export(BusObject([root, player]), at: Self.path)
        try connection.requestName("org.mpris.MediaPlayer2.\(name)") { isOurs in
            say(isOurs ? "ready" : "the name is taken")
        }
    }

    private var root: BusInterface {
        BusInterface(
            "org.mpris.MediaPlayer2",
            methods: [
                .init("Quit") { [unowned self] _ in
                    isOver = true
                    return []
                }
            ],
            properties: [.init("Identity", "s") { .string("A stranger") }, .init("CanQuit", "b") { .bool(true) }])
    }

    private var player: BusInterface {
        func method(_ name: String, _ change: @escaping (Film) -> Void) -> BusInterface.Method {
            .init(name) { [unowned self] _ in
                say(name)
                change(self)
                return []
            }
        }
        return BusInterface(
            Self.interface,
            methods: [
                method("Play") { $0.become("Playing") },
                method("Pause") { if $0.status == "Playing" { $0.become("Paused") } },
                method("Stop") { $0.become("Stopped") },
                method("PlayPause") { $0.become($0.status == "Playing" ? "Paused" : "Playing") },
            ],
            properties: [.init("PlaybackStatus", "s") { [unowned self] in .string(status) }]
                + ["CanControl", "CanPlay", "CanPause"].map { .init($0, "b") { .bool(true) } })
    }

    private func become(_ new: String) {
        guard new != status else { return }
        status = new
        try? connection.emitChanges(["PlaybackStatus": .string(new)], of: Self.interface, at: Self.path)
    }

    func run() throws {
        while !isOver {
            var entries = [Poll.Entry(connection.descriptor, connection.events)]
            try Poll.wait(&entries, until: connection.deadline)
            try connection.process()
        }
    }
}

guard CommandLine.arguments.count == 3 else {
    say("usage: ForeignPlayer NAME Playing|Paused|Stopped\n       ForeignPlayer --screensaver PATH|portal")
    exit(64)
}
do {
    if CommandLine.arguments[1] == "--screensaver" {
        try ScreenSaverService(CommandLine.arguments[2]).run()
    } else {
        try Film(name: CommandLine.arguments[1], status: CommandLine.arguments[2]).run()
    }
} catch {
    say("\(error)")
    exit(1)
}
