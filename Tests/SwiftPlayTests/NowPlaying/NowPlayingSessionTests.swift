import Glibc
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct NowPlayingSessionTests {
    /// Returns a new player without audio output.
    private func makePlayer() throws -> QueuePlayer {
        var configuration = Player.Configuration()
        configuration.audioOutput = .none
        return try QueuePlayer(configuration: configuration)
    }

    @Test(arguments: [nil, "unix:path=/nowhere/bus"]) func sessionWithoutAMessageBusAcceptsAllMethodCalls(
        address: String?
    ) throws {
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

    @Test func sessionOfAClosedPlayerReportsStopped() throws {
        let bus = try SessionBus(), player = try makePlayer()
        player.close()
        let session = NowPlayingSession(player: player, name: nil, busAddress: bus.address)
        defer { session.close() }
        session.setIsNowPlaying(true)
        let name = "swiftplay.instance\(getpid())"
        let status = Deadline.poll(for: .seconds(10)) { try? bus.playerctl("status", player: name) }
        #expect(status == "Stopped")
    }

    @Test("the player is published while the audio session is that of the now playing program")
    func playerIsPublishedWithTheAudioSession() throws {
        let bus = try SessionBus(), audioSession = AudioSession(link: CompositorLink(), gain: nil)
        let session = NowPlayingSession(
            player: try makePlayer(), name: nil, busAddress: bus.address, audioSession: audioSession)
        defer { session.close() }
        for isNowPlaying in [true, false] {
            audioSession.state.update { $0.grantedState.properties.isNowPlaying = isNowPlaying }
            audioSession.notifyNowPlaying()
            let isPublished = Deadline.poll(for: .seconds(10)) {
                let status = try? bus.playerctl("status", player: "swiftplay.instance\(getpid())")
                return (status != nil) == isNowPlaying ? true : nil
            }
            #expect(isPublished == true)
        }
    }

    /// If the program does not handle the commands of the desktop, the player executes them.
    @Test func playerExecutesDesktopCommandsByDefault() throws {
        let bus = try SessionBus(), player = try makePlayer(), name = "swiftplay.instance\(getpid())"
        let session = NowPlayingSession(player: player, name: "A program", busAddress: bus.address)
        session.setIsNowPlaying(true)
        func playbackStatus() -> String? { try? bus.playerctl("status", player: name) }
        #expect(Deadline.poll(for: .seconds(10)) { playbackStatus() == "Stopped" ? true : nil } == true)
        let items = [
            PlayerItem(location: try Fixtures.path("count30.mp4")),
            PlayerItem(location: try Fixtures.path("short.mp4")),
        ]
        for item in items { player.insert(item, after: nil) }
        #expect(Deadline.poll(for: .seconds(10)) { playbackStatus() == "Paused" ? true : nil } == true)
        try bus.playerctl("play", player: name)
        #expect(player.rate == 1 && playbackStatus() == "Playing")
        try bus.playerctl("volume", "0.5", player: name)
        #expect(player.volume == 0.125)
        #expect(
            try bus.playerctl("metadata", "xesam:url", player: name) == NowPlayingState.address(of: items[0].location))
        try bus.playerctl("play-pause", player: name)
        #expect(player.rate == 0)
        try bus.playerctl("next", player: name)
        #expect(player.currentItem === items[1])
        session.setIsNowPlaying(false)
        #expect(Deadline.poll(for: .seconds(10)) { playbackStatus() == nil ? true : nil } == true)
        session.setIsNowPlaying(true)
        #expect(Deadline.poll(for: .seconds(10)) { playbackStatus() == "Paused" ? true : nil } == true)
        session.close()
        #expect(Deadline.poll(for: .seconds(10)) { playbackStatus() == nil ? true : nil } == true)
    }

    @Test("sessions of one program have different names on one bus; on another bus the first name is available")
    func sessionsOnOneBusHaveDifferentNames() throws {
        let bus = try SessionBus(), otherBus = try SessionBus(), firstName = "swiftplay.instance\(getpid())"
        func makeSession(_ bus: SessionBus) throws -> NowPlayingSession {
            let session = NowPlayingSession(player: try makePlayer(), name: nil, busAddress: bus.address)
            session.setIsNowPlaying(true)
            return session
        }
        func isSessionOnBus(_ name: String, _ bus: SessionBus) -> Bool {
            let isPublished: Bool? = Deadline.poll(for: .seconds(10)) {
                (try? bus.playerctl("status", player: name)) == "Stopped" ? true : nil
            }
            return isPublished == true
        }
        func playerNames() throws -> [String] {
            let list = try run("playerctl", ["--list-all"], environment: bus.environment)
            return list.split(separator: "\n").map(String.init).sorted()
        }
        let firstSession = try makeSession(bus)
        #expect(isSessionOnBus(firstName, bus))
        let secondSession = try makeSession(bus)
        #expect(isSessionOnBus(firstName + "_1", bus))
        let sessionOnOtherBus = try makeSession(otherBus)
        #expect(isSessionOnBus(firstName, otherBus))
        // The bus name of a closed session is available again; the second session keeps its bus name.
        firstSession.close()
        let thirdSession = try makeSession(bus)
        #expect(isSessionOnBus(firstName, bus))
        #expect(try playerNames() == [firstName, firstName + "_1"])
        for session in [secondSession, sessionOnOtherBus, thirdSession] { session.close() }
    }

    @Test @MainActor func programReceivesDesktopCommandsBeforeThePlayer() async throws {
        let bus = try SessionBus(), player = try makePlayer(), name = "swiftplay.instance\(getpid())"
        let session = NowPlayingSession(player: player, name: nil, busAddress: bus.address)
        player.insert(PlayerItem(location: try Fixtures.path("count30.mp4")), after: nil)
        session.canGoToPreviousTrack = true
        let commandStream = AsyncStream<NowPlayingSession.Command>.makeStream()
        session.onCommand = { command in
            commandStream.continuation.yield(command)
            return command == .play
        }
        session.setIsNowPlaying(true)
        #expect(Deadline.poll(for: .seconds(10)) { try? bus.playerctl("status", player: name) } == "Paused")
        for commandName in ["play", "previous"] { try bus.playerctl(commandName, player: name) }
        try bus.playerctl("volume", "0.5", player: name)
        var commands: [NowPlayingSession.Command] = []
        for await command in commandStream.stream {
            commands.append(command)
            if commands.count == 3 { break }
        }
        #expect(commands == [.play, .previousTrack, .changeVolume(0.5)])
        #expect(player.rate == 0)
        session.close()
    }
}
