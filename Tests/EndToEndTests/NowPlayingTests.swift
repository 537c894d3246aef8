import DesktopBus
import Foundation
import SystemCalls
import TestSupport
import Testing

/// swiftplay on a session bus of the test's own, driven by `playerctl` as media keys do it; JSON IPC says what became
/// of it.
@Suite("Now playing")
struct NowPlayingTests {
    private static let still = ["--vo=null", "--ao=null"]

    /// Plays, and is seen.
    private func start(_ clips: String..., options: [String] = [], on bus: SessionBus) throws -> RunningPlayer {
        let player = try RunningPlayer(
            files: clips.map { try Fixtures.path($0) }, Self.still + options, nil, bus.environment)
        let watcher = try BusWatcher(bus)
        try watcher.wait { try $0.names().contains("org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)") }
        return player
    }

    @Test("playerctl plays, pauses, seeks, sets the volume, and reads what plays")
    func driven() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), player = try start("count30.mp4", on: bus), ipc = try player.ipc
            func control(_ words: String...) throws -> String {
                switch words.count {
                case 1: try bus.playerctl(words[0], player: "swiftplay")
                case 2: try bus.playerctl(words[0], words[1], player: "swiftplay")
                default: try bus.playerctl(words[0], words[1], words[2], player: "swiftplay")
                }
            }
            #expect(try control("status") == "Playing")
            _ = try control("pause")
            try ipc.waitForProperty("pause") { $0 == true }
            #expect(try control("status") == "Paused")
            _ = try control("play-pause")
            try ipc.waitForProperty("pause") { $0 == false }
            _ = try control("pause")
            try ipc.waitForProperty("pause") { $0 == true }

            _ = try control("position", "10")
            try ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 10) < 0.05 }
            #expect(try abs((Double(control("position")) ?? 0) - 10) < 0.05)
            _ = try control("position", "2.5+")
            try ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 12.5) < 0.05 }
            _ = try control("position", "100-")
            try ipc.waitForProperty("time-pos") { abs(($0.number ?? 1) - 0) < 0.05 }

            _ = try control("volume", "0.5")
            try ipc.waitForProperty("volume") { abs(($0.number ?? 0) - 50) < 0.01 }
            try ipc.setProperty("volume", 80)
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    try? abs((Double(control("volume")) ?? 0) - 0.8) < 0.001 ? true : nil
                } == true)

            #expect(try control("metadata", "mpris:length") == "20000000")
            #expect(try control("metadata", "xesam:title") == "count30.mp4")
            #expect(
                try control("metadata", "xesam:url")
                    == URL(fileURLWithPath: Fixtures.path("count30.mp4")).absoluteString)

            _ = try control("loop", "Track")
            try ipc.waitForProperty("loop-file") { $0 == "inf" }
            #expect(try control("loop") == "Track")
            _ = try control("loop", "None")
            try ipc.waitForProperty("loop-file") { $0 == "no" }

            _ = try control("play")
            try ipc.waitForProperty("pause") { $0 == false }
            _ = try control("stop")
            try ipc.waitForProperty("pause") { $0 == true }
            #expect(Deadline.poll(for: .seconds(5)) { (try? control("status")) == "Stopped" ? true : nil } == true)
            _ = try control("open", URL(fileURLWithPath: Fixtures.path("audio.ogg")).absoluteString)
            try ipc.waitForProperty("filename") { $0 == "audio.ogg" }
            try player.quit()
        }
    }

    @Test("where there is no compositor who is heard is seen all the same")
    func alone() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let environment = bus.environment.merging(["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"]) { $1 }
            let player = try RunningPlayer(files: [Fixtures.path("count30.mp4")], ["--vo=null"], nil, environment)
            try watcher.wait { try $0.names().contains("org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)") }
            try player.quit()
        }
    }

    @Test("next and previous go along the list, as far as it goes")
    func list() async throws {
        try await Desk.alone {
            let bus = try SessionBus(),
                player = try start("count30.mp4", "count30.mkv", options: ["--title=x"], on: bus), ipc = try player.ipc
            let watcher = try BusWatcher(bus), name = "org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)"
            func can(_ what: String) throws { try watcher.wait { try $0.property(what, of: name) == .bool(true) } }
            try can("CanGoNext")
            #expect(try watcher.property("CanGoPrevious", of: name) == .bool(false))
            let first = try watcher.property("Metadata", of: name)?.dictionary?["mpris:trackid"]
            try bus.playerctl("next", player: "swiftplay")
            try ipc.waitForProperty("filename") { $0 == "count30.mkv" }
            try can("CanGoPrevious")
            #expect(try watcher.property("CanGoNext", of: name) == .bool(false))
            let second = try watcher.property("Metadata", of: name)?.dictionary?["mpris:trackid"]
            #expect(first != second && first != nil)
            try ipc.setProperty("pause", true)
            try ipc.waitForProperty("duration") { ($0.number ?? 0) > 19 }
            let time = try ipc.property("time-pos")
            // Of the track before; to nothing; and what is not opened.
            try watcher.call("SetPosition", [first ?? .objectPath("/"), .int64(15_000_000)], of: name)
            // playerctl itself would not ask.
            try watcher.call("Next", [], of: name)
            try watcher.call("OpenUri", [.string("ftp://example.org/x")], of: name)
            #expect(try ipc.property("time-pos") == time)
            #expect(try ipc.property("filename") == "count30.mkv")
            try bus.playerctl("previous", player: "swiftplay")
            try ipc.waitForProperty("filename") { $0 == "count30.mp4" }
            // Beyond the end comes the next one.
            try can("CanSeek")
            try bus.playerctl("position", "100+", player: "swiftplay")
            try ipc.waitForProperty("filename") { $0 == "count30.mkv" }
            try watcher.call("Quit", [], of: name, interface: "org.mpris.MediaPlayer2")
            #expect(try player.child.waitForExit().isSuccess)
        }
    }

    @Test("whoever watches hears of changes and of jumps")
    func signals() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), player = try start("count30.mp4", on: bus), ipc = try player.ipc
            let watcher = try BusWatcher(bus)
            func changed(_ name: String, to value: BusValue) throws {
                try watcher.wait {
                    $0.signals.contains {
                        $0.member == "PropertiesChanged" && $0.arguments[1].dictionary?[name] == value
                    }
                }
            }
            try ipc.setProperty("pause", true)
            try changed("PlaybackStatus", to: .string("Paused"))
            try ipc.setProperty("volume", 50)
            try changed("Volume", to: .double(0.5))
            try ipc.setProperty("loop-playlist", "inf")
            try changed("LoopStatus", to: .string("Playlist"))
            try ipc.setProperty("time-pos", 7)
            try watcher.wait {
                $0.signals.contains {
                    $0.member == "Seeked" && abs(($0.arguments.first?.integer ?? 0) - 7_000_000) < 50_000
                }
            }
            try player.quit()
        }
    }

    @Test("it is seen once it has played, and gone with its end")
    func seen() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let player = try RunningPlayer(
                files: [Fixtures.path("count30.mp4")], Self.still + ["--pause"], nil, bus.environment)
            try player.ipc.waitForProperty("duration") { ($0.number ?? 0) > 19 }
            func isSeen() throws -> Bool { try watcher.names().contains { $0.hasPrefix("org.mpris.MediaPlayer2.") } }
            #expect(try !isSeen())
            try player.ipc.setProperty("pause", false)
            try watcher.wait { _ in try isSeen() }
            try player.quit()
            try watcher.wait { _ in try !isSeen() }
        }
    }

    @Test("--mpris=no is not seen, and without a bus nothing is amiss", arguments: [true, false])
    func unseen(hasBus: Bool) async throws {
        try await Desk.alone {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let player = try RunningPlayer(
                files: [Fixtures.path("count30.mp4")], Self.still + (hasBus ? ["--mpris=no"] : []), nil,
                hasBus ? bus.environment : [:])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.3 }
            #expect(try !watcher.names().contains { $0.hasPrefix("org.mpris.MediaPlayer2.") })
            try player.quit()
            #expect(player.child.errors.text.isEmpty, "\(player.child.errors.text)")
        }
    }

    @Test("when the bus ends, or hangs, playing goes on", arguments: [true, false])
    func busGone(ends: Bool) async throws {
        try await Desk.alone {
            let bus = try SessionBus(), player = try start("count30.mp4", on: bus), ipc = try player.ipc
            if ends { try bus.end() } else { bus.hang() }
            let time = try #require(ipc.property("time-pos").number)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 0.5 }
            try ipc.setProperty("volume", 30)
            #expect(try player.quit().isSuccess)
            #expect(player.child.errors.text.isEmpty, "\(player.child.errors.text)")
        }
    }
}

/// The test's own eyes on the bus.
final class BusWatcher {
    private let connection: BusConnection
    private var slot: BusSlot?
    private(set) var signals: [BusConnection.Signal] = []

    init(_ bus: SessionBus) throws {
        connection = try BusConnection(address: bus.address)
        slot = try connection.watch("type='signal',path='/org/mpris/MediaPlayer2'") { [unowned self] in
            signals.append($0)
        }
        // The bus has the watch when it has answered what was asked after it.
        _ = try names()
    }

    func wait(within patience: Duration = .seconds(10), until isSo: (BusWatcher) throws -> Bool) throws {
        let end = Deadline.after(patience)
        while try !isSo(self) {
            guard MonotonicTime.now < end else { throw RigError("it was not seen within \(patience): \(signals)") }
            try turn(until: Deadline.after(.milliseconds(5)))
        }
    }

    private func turn(until deadline: Int64) throws {
        var entries = [Poll.Entry(connection.descriptor, connection.events)]
        try Poll.wait(&entries, until: [connection.deadline, deadline].compactMap { $0 }.min())
        try connection.process()
    }

    private func answer(_ call: BusConnection.Call) throws -> Result<[BusValue], BusError> {
        var answer: Result<[BusValue], BusError>?
        try connection.call(call) { answer = $0 }
        while true {
            if let answer { return answer }
            try turn(until: Deadline.after(.seconds(5)))
        }
    }

    func names() throws -> [String] {
        try answer(.init(bus: "ListNames")).get().first?.elements?.compactMap(\.text) ?? []
    }

    /// Waits for the answer, whatever it is.
    func call(
        _ member: String, _ arguments: [BusValue], of name: String, interface: String = "org.mpris.MediaPlayer2.Player"
    ) throws {
        _ = try answer(.init(to: name, path: "/org/mpris/MediaPlayer2", interface: interface, member, arguments))
    }

    func property(_ property: String, of name: String) throws -> BusValue? {
        try answer(
            .init(
                to: name, path: "/org/mpris/MediaPlayer2", interface: "org.freedesktop.DBus.Properties", "Get",
                [.string("org.mpris.MediaPlayer2.Player"), .string(property)])
        ).get().first?.unwrapped
    }
}
