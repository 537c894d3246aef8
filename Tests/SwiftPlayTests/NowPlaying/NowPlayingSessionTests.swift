import Glibc
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct NowPlayingSessionTests {
    private func makePlayer() throws -> QueuePlayer {
        var configuration = Player.Configuration()
        configuration.audioOutput = .none
        return try QueuePlayer(configuration: configuration)
    }

    @Test(arguments: [nil, "unix:path=/nowhere/bus"]) func withoutABusNothingIsAmiss(address: String?) throws {
        let session = NowPlayingSession(player: try makePlayer(), name: nil, busAddress: address)
        for _ in 0..<3 {
            session.setIsNowPlaying(true)
            session.setIsNowPlaying(false)
        }
        session.repeatType = .all
        #expect(session.repeatType == .all && session.canGoToNextTrack == nil && !session.canQuit)
        session.close()
        session.close()
        session.setIsNowPlaying(true)
    }

    @Test func aPlayerThatIsClosedAlreadyIsNoTrouble() throws {
        let player = try makePlayer()
        player.close()
        let session = NowPlayingSession(player: player, name: nil, busAddress: nil)
        session.setIsNowPlaying(true)
    }

    /// Without a word from a program the player does what it can.
    @Test func thePlayerIsDrivenByItself() throws {
        let bus = try SessionBus(), player = try makePlayer(), name = "swiftplay.instance\(getpid())"
        let session = NowPlayingSession(player: player, name: "A program", busAddress: bus.address)
        session.setIsNowPlaying(true)
        func status() -> String? { try? bus.playerctl("status", player: name) }
        #expect(Deadline.poll(for: .seconds(10)) { status() == "Stopped" ? true : nil } == true)
        let items = [
            PlayerItem(location: try Fixtures.path("count30.mp4")),
            PlayerItem(location: try Fixtures.path("short.mp4")),
        ]
        for item in items { player.insert(item, after: nil) }
        #expect(Deadline.poll(for: .seconds(10)) { status() == "Paused" ? true : nil } == true)
        try bus.playerctl("play", player: name)
        #expect(player.rate == 1 && status() == "Playing")
        try bus.playerctl("volume", "0.5", player: name)
        #expect(player.volume == 0.125)
        #expect(
            try bus.playerctl("metadata", "xesam:url", player: name) == NowPlayingFacts.address(of: items[0].location))
        try bus.playerctl("play-pause", player: name)
        #expect(player.rate == 0)
        try bus.playerctl("next", player: name)
        #expect(player.currentItem === items[1])
        session.setIsNowPlaying(false)
        #expect(Deadline.poll(for: .seconds(10)) { status() == nil ? true : nil } == true)
        session.setIsNowPlaying(true)
        #expect(Deadline.poll(for: .seconds(10)) { status() == "Paused" ? true : nil } == true)
        session.close()
        #expect(Deadline.poll(for: .seconds(10)) { status() == nil ? true : nil } == true)
    }

    @Test("sessions of one program have names of their own on one bus; on another bus the first name is free")
    func names() throws {
        let bus = try SessionBus(), other = try SessionBus(), first = "swiftplay.instance\(getpid())"
        func session(_ bus: SessionBus) throws -> NowPlayingSession {
            let session = NowPlayingSession(player: try makePlayer(), name: nil, busAddress: bus.address)
            session.setIsNowPlaying(true)
            return session
        }
        func isThere(_ name: String, _ bus: SessionBus) -> Bool {
            let isThere: Bool? = Deadline.poll(for: .seconds(10)) {
                (try? bus.playerctl("status", player: name)) == "Stopped" ? true : nil
            }
            return isThere == true
        }
        func players() throws -> [String] {
            let list = try run("playerctl", ["--list-all"], environment: bus.environment)
            return list.split(separator: "\n").map(String.init).sorted()
        }
        let one = try session(bus)
        #expect(isThere(first, bus))
        let two = try session(bus)
        #expect(isThere(first + "_1", bus))
        let third = try session(other)
        #expect(isThere(first, other))
        // The name of a session that ends is free again; the second session keeps its own.
        one.close()
        let fourth = try session(bus)
        #expect(isThere(first, bus))
        #expect(try players() == [first, first + "_1"])
        for session in [two, third, fourth] { session.close() }
    }

    @Test @MainActor func theProgramsWordComesFirst() async throws {
        let bus = try SessionBus(), player = try makePlayer(), name = "swiftplay.instance\(getpid())"
        let session = NowPlayingSession(player: player, name: nil, busAddress: bus.address)
        player.insert(PlayerItem(location: try Fixtures.path("count30.mp4")), after: nil)
        session.canGoToPreviousTrack = true
        let heard = AsyncStream<NowPlayingSession.Command>.makeStream()
        session.onCommand = { command in
            heard.continuation.yield(command)
            return command == .play
        }
        session.setIsNowPlaying(true)
        #expect(Deadline.poll(for: .seconds(10)) { try? bus.playerctl("status", player: name) } == "Paused")
        for key in ["play", "previous"] { try bus.playerctl(key, player: name) }
        try bus.playerctl("volume", "0.5", player: name)
        var commands: [NowPlayingSession.Command] = []
        for await command in heard.stream {
            commands.append(command)
            if commands.count == 3 { break }
        }
        #expect(commands == [.play, .previousTrack, .changeVolume(0.5)])
        #expect(player.rate == 0)
        session.close()
    }
}
