import DesktopBus
import Foundation
import SystemCalls
import TestSupport
import Testing

/// Tests the MPRIS interface of swiftplay on a private session bus.
///
/// The tests send commands with `playerctl`, as media keys do, and check the effects over JSON IPC.
@Suite("Now playing")
struct NowPlayingTests {
    private static let silentOptions = ["--vo=null", "--ao=null"]

    /// Starts a player and waits until the player appears on the bus.
    private func startPlayer(_ clips: String..., options: [String] = [], on bus: SessionBus) throws -> RunningPlayer {
        let player = try RunningPlayer(
            files: clips.map { try Fixtures.path($0) }, Self.silentOptions + options, nil, bus.environment)
        let watcher = try BusWatcher(bus)
        try watcher.wait {
            try $0.connectionNames().contains("org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)")
        }
        return player
    }

    @Test("playerctl plays, pauses, seeks, sets the volume and reads the metadata")
    func playerctlControlsThePlayer() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), player = try startPlayer("count30.mp4", on: bus), ipc = try player.ipc
            func runPlayerctl(_ arguments: String...) throws -> String {
                switch arguments.count {
                case 1: try bus.playerctl(arguments[0], player: "swiftplay")
                case 2: try bus.playerctl(arguments[0], arguments[1], player: "swiftplay")
                default: try bus.playerctl(arguments[0], arguments[1], arguments[2], player: "swiftplay")
                }
            }
            #expect(try runPlayerctl("status") == "Playing")
            _ = try runPlayerctl("pause")
            try ipc.waitForProperty("pause") { $0 == true }
            #expect(try runPlayerctl("status") == "Paused")
            _ = try runPlayerctl("play-pause")
            try ipc.waitForProperty("pause") { $0 == false }
            _ = try runPlayerctl("pause")
            try ipc.waitForProperty("pause") { $0 == true }

            _ = try runPlayerctl("position", "10")
            try ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 10) < 0.05 }
            #expect(try abs((Double(runPlayerctl("position")) ?? 0) - 10) < 0.05)
            _ = try runPlayerctl("position", "2.5+")
            try ipc.waitForProperty("time-pos") { abs(($0.number ?? 0) - 12.5) < 0.05 }
            _ = try runPlayerctl("position", "100-")
            try ipc.waitForProperty("time-pos") { abs(($0.number ?? 1) - 0) < 0.05 }

            _ = try runPlayerctl("volume", "0.5")
            try ipc.waitForProperty("volume") { abs(($0.number ?? 0) - 50) < 0.01 }
            try ipc.setProperty("volume", 80)
            #expect(
                Deadline.poll(for: .seconds(5)) {
                    try? abs((Double(runPlayerctl("volume")) ?? 0) - 0.8) < 0.001 ? true : nil
                } == true)

            #expect(try runPlayerctl("metadata", "mpris:length") == "20000000")
            #expect(try runPlayerctl("metadata", "xesam:title") == "count30.mp4")
            #expect(
                try runPlayerctl("metadata", "xesam:url")
                    == URL(fileURLWithPath: Fixtures.path("count30.mp4")).absoluteString)

            _ = try runPlayerctl("loop", "Track")
            try ipc.waitForProperty("loop-file") { $0 == "inf" }
            #expect(try runPlayerctl("loop") == "Track")
            _ = try runPlayerctl("loop", "None")
            try ipc.waitForProperty("loop-file") { $0 == false }

            _ = try runPlayerctl("play")
            try ipc.waitForProperty("pause") { $0 == false }
            _ = try runPlayerctl("stop")
            try ipc.waitForProperty("pause") { $0 == true }
            #expect(Deadline.poll(for: .seconds(5)) { (try? runPlayerctl("status")) == "Stopped" ? true : nil } == true)
            _ = try runPlayerctl("open", URL(fileURLWithPath: Fixtures.path("audio.ogg")).absoluteString)
            try ipc.waitForProperty("filename") { $0 == "audio.ogg" }
            try player.quit()
        }
    }

    @Test("without a compositor a playing program still appears on the bus")
    func playerAppearsWithoutACompositor() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let environment = bus.environment.merging(["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"]) { $1 }
            let player = try RunningPlayer(files: [Fixtures.path("count30.mp4")], ["--vo=null"], nil, environment)
            try watcher.wait {
                try $0.connectionNames().contains("org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)")
            }
            try player.quit()
        }
    }

    @Test("Next and Previous select the tracks of the playlist and stop at its ends")
    func nextAndPreviousStopAtTheEndsOfThePlaylist() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus()
            let player = try startPlayer("count30.mp4", "count30.mkv", options: ["--title=x"], on: bus)
            let ipc = try player.ipc
            let watcher = try BusWatcher(bus), name = "org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)"
            func waitForCapability(_ capability: String) throws {
                try watcher.wait { try $0.property(capability, of: name) == .bool(true) }
            }
            try waitForCapability("CanGoNext")
            #expect(try watcher.property("CanGoPrevious", of: name) == .bool(false))
            let firstTrackID = try watcher.property("Metadata", of: name)?.dictionary?["mpris:trackid"]
            try bus.playerctl("next", player: "swiftplay")
            try ipc.waitForProperty("filename") { $0 == "count30.mkv" }
            try waitForCapability("CanGoPrevious")
            #expect(try watcher.property("CanGoNext", of: name) == .bool(false))
            let secondTrackID = try watcher.property("Metadata", of: name)?.dictionary?["mpris:trackid"]
            #expect(firstTrackID != secondTrackID && firstTrackID != nil)
            try ipc.setProperty("pause", true)
            try ipc.waitForProperty("duration") { ($0.number ?? 0) > 19 }
            let time = try ipc.property("time-pos")
            // The player ignores SetPosition with the identifier of the previous track, Next at the last track, and
            // OpenUri with an address that it cannot open.
            try watcher.callMethod("SetPosition", [firstTrackID ?? .objectPath("/"), .int64(15_000_000)], of: name)
            // Send Next without playerctl, which does not send it while CanGoNext is false.
            try watcher.callMethod("Next", [], of: name)
            try watcher.callMethod("OpenUri", [.string("ftp://example.org/x")], of: name)
            #expect(try ipc.property("time-pos") == time)
            #expect(try ipc.property("filename") == "count30.mkv")
            try bus.playerctl("previous", player: "swiftplay")
            try ipc.waitForProperty("filename") { $0 == "count30.mp4" }
            // A seek past the end starts the next track.
            try waitForCapability("CanSeek")
            try bus.playerctl("position", "100+", player: "swiftplay")
            try ipc.waitForProperty("filename") { $0 == "count30.mkv" }
            try watcher.callMethod("Quit", [], of: name, interface: "org.mpris.MediaPlayer2")
            #expect(try player.child.waitForExit().isSuccess)
        }
    }

    @Test("changes of properties and seeks send signals")
    func propertyChangesAndSeeksSendSignals() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), player = try startPlayer("count30.mp4", on: bus), ipc = try player.ipc
            let watcher = try BusWatcher(bus)
            func waitForChange(_ name: String, to value: BusValue) throws {
                try watcher.wait {
                    $0.signals.contains {
                        $0.member == "PropertiesChanged" && $0.arguments[1].dictionary?[name] == value
                    }
                }
            }
            try ipc.setProperty("pause", true)
            try waitForChange("PlaybackStatus", to: .string("Paused"))
            try ipc.setProperty("volume", 50)
            try waitForChange("Volume", to: .double(0.5))
            try ipc.setProperty("loop-playlist", "inf")
            try waitForChange("LoopStatus", to: .string("Playlist"))
            try ipc.setProperty("time-pos", 7)
            try watcher.wait {
                $0.signals.contains {
                    $0.member == "Seeked" && abs(($0.arguments.first?.integer ?? 0) - 7_000_000) < 50_000
                }
            }
            try player.quit()
        }
    }

    @Test("while the player waits for media, the desktop receives its position")
    func playerReportsItsPositionDuringAStall() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let server = try StallingServer(try Fixtures.path("count30.mkv"), servingFirst: 0.15)
            let player = try RunningPlayer(files: [server.address], Self.silentOptions, nil, bus.environment)
            try player.ipc.waitForProperty("paused-for-cache", within: .seconds(20)) { $0 == true }
            let time = try #require(try player.ipc.property("time-pos").number)
            // The player sends the signal Seeked shortly after the stall begins, then once a second, and when playback
            // continues.
            func waitForPositions(_ count: Int) throws {
                try watcher.wait {
                    $0.signals.count {
                        $0.member == "Seeked" && abs(Double($0.arguments.first?.integer ?? 0) / 1e6 - time) < 0.3
                    } >= count
                }
            }
            try waitForPositions(2)
            server.resume()
            try player.ipc.waitForProperty("paused-for-cache") { $0 == false }
            try waitForPositions(3)
            try player.quit()
        }
    }

    @Test("the player appears on the bus when it first plays, and disappears when it exits")
    func playerIsOnTheBusFromFirstPlaybackToExit() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let player = try RunningPlayer(
                files: [Fixtures.path("count30.mp4")], Self.silentOptions + ["--pause"], nil, bus.environment)
            try player.ipc.waitForProperty("duration") { ($0.number ?? 0) > 19 }
            func isOnBus() throws -> Bool {
                try watcher.connectionNames().contains { $0.hasPrefix("org.mpris.MediaPlayer2.") }
            }
            #expect(try !isOnBus())
            try player.ipc.setProperty("pause", false)
            try watcher.wait { _ in try isOnBus() }
            try player.quit()
            try watcher.wait { _ in try !isOnBus() }
        }
    }

    @Test("--mpris=no keeps the player off the bus; a missing bus causes no error", arguments: [true, false])
    func playerStaysOffTheBus(hasBus: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let player = try RunningPlayer(
                files: [Fixtures.path("count30.mp4")], Self.silentOptions + (hasBus ? ["--mpris=no"] : []), nil,
                hasBus ? bus.environment : [:])
            try player.ipc.waitForProperty("time-pos") { ($0.number ?? 0) > 0.3 }
            #expect(try !watcher.connectionNames().contains { $0.hasPrefix("org.mpris.MediaPlayer2.") })
            try player.quit()
            #expect(player.child.errors.text.isEmpty, "\(player.child.errors.text)")
        }
    }

    @Test("playback continues when the bus exits or hangs", arguments: [true, false])
    func playbackContinuesWithoutTheBus(busExits: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), player = try startPlayer("count30.mp4", on: bus), ipc = try player.ipc
            if busExits { try bus.end() } else { bus.suspend() }
            let time = try #require(ipc.property("time-pos").number)
            try ipc.waitForProperty("time-pos") { ($0.number ?? 0) > time + 0.5 }
            try ipc.setProperty("volume", 30)
            #expect(try player.quit().isSuccess)
            #expect(player.child.errors.text.isEmpty, "\(player.child.errors.text)")
        }
    }
}

/// A client of the session bus that reads MPRIS properties and collects D-Bus signals for a test.
final class BusWatcher {
    private let connection: BusConnection
    /// The subscription to the D-Bus signals, which ends when this object is released.
    private var signalSubscription: BusSlot?
    /// The D-Bus signals received from the object `/org/mpris/MediaPlayer2` so far, oldest first.
    private(set) var signals: [BusConnection.Signal] = []

    init(_ bus: SessionBus) throws {
        connection = try BusConnection(address: bus.address)
        signalSubscription = try connection.watch("type='signal',path='/org/mpris/MediaPlayer2'") { [unowned self] in
            signals.append($0)
        }
        // The bus handles messages in order: when it has replied to a later request, the subscription is active.
        _ = try connectionNames()
    }

    /// Processes D-Bus messages until `condition` returns true.
    func wait(within timeout: Duration = .seconds(10), until condition: (BusWatcher) throws -> Bool) throws {
        let end = Deadline.after(timeout)
        while try !condition(self) {
            guard MonotonicTime.now < end else { throw TestFailure("timeout after \(timeout); signals: \(signals)") }
            try processMessages(until: Deadline.after(.milliseconds(5)))
        }
    }

    /// Waits for D-Bus messages until host time `deadline` (nanoseconds) at the latest, and processes them.
    private func processMessages(until deadline: Int64) throws {
        var entries = [Poll.Entry(connection.descriptor, connection.events)]
        try Poll.wait(&entries, until: [connection.deadline, deadline].compactMap { $0 }.min())
        try connection.process()
    }

    /// Calls a D-Bus method, waits for the reply and returns the reply.
    func reply(to call: BusConnection.Call) throws -> Result<[BusValue], BusError> {
        var result: Result<[BusValue], BusError>?
        try connection.call(call) { result = $0 }
        while true {
            if let result { return result }
            try processMessages(until: Deadline.after(.seconds(5)))
        }
    }

    /// Returns the D-Bus names of all connections on the bus.
    func connectionNames() throws -> [String] {
        try reply(to: .init(bus: "ListNames")).get().first?.elements?.compactMap(\.text) ?? []
    }

    /// Calls a D-Bus method and waits for its reply, which may be an error.
    func callMethod(
        _ member: String, _ arguments: [BusValue], of name: String, interface: String = "org.mpris.MediaPlayer2.Player"
    ) throws {
        _ = try reply(to: .init(to: name, path: "/org/mpris/MediaPlayer2", interface: interface, member, arguments))
    }

    /// Returns an MPRIS property of the player with the bus name `name`.
    func property(_ property: String, of name: String) throws -> BusValue? {
        try reply(
            to: .init(
                to: name, path: "/org/mpris/MediaPlayer2", interface: "org.freedesktop.DBus.Properties", "Get",
                [.string("org.mpris.MediaPlayer2.Player"), .string(property)])
        ).get().first?.unwrapped
    }
}
