import Glibc
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

/// Tests with external programs as players on a private message bus, in an event loop like the compositor's.
@Suite struct ExternalPlayersBusTests {
    /// A private message bus and the object under test, which controls the players on the bus.
    private final class BusEnvironment {
        let bus: SessionBus
        let players: ExternalPlayersBus

        init() throws {
            let bus = try SessionBus()
            self.bus = bus
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            players = ExternalPlayersBus(logger: logger) { bus.address }
        }

        /// Processes bus messages until `isMet` returns true.
        func processMessages(within timeout: Duration = .seconds(10), until isMet: () throws -> Bool) throws {
            let deadline = Deadline.after(timeout)
            while try !isMet() {
                guard MonotonicTime.now < deadline else {
                    throw TestFailure("the condition was not met within \(timeout)")
                }
                // The method calls that players receive do not wake this loop, so check the condition every 5 ms.
                let nextCheck = MonotonicTime.now + 5_000_000
                var entries = [Poll.Entry(players.descriptor, players.events)]
                try Poll.wait(&entries, until: [players.deadline, nextCheck].compactMap { $0 }.min())
                players.process(now: MonotonicTime.now)
            }
        }

        /// Processes all bus messages that players have sent so far. The bus has delivered them once another client has
        /// received a reply.
        func processPendingMessages() throws {
            _ = try? bus.playerctl("status", player: "nobody")
            players.process(now: MonotonicTime.now)
        }

        /// Processes bus messages until `player`, the last player found, is paused. The compositor has then also
        /// handled all players that it found earlier.
        func runUntilPaused(_ player: MPRISPlayerStandIn) throws {
            try processMessages { player.calls.last == "Pause" }
        }
    }

    @Test func playingPlayerIsPausedAndResumed() throws {
        let environment = try BusEnvironment()
        let music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus),
            radio = try MPRISPlayerStandIn("radio", "Paused", on: environment.bus)
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(music)
        environment.players.setSilence(.requested)
        environment.players.setSilence(.released(notify: true))
        try environment.processMessages { music.calls.last == "Play" }
        #expect(try environment.bus.playerctl("status", player: "music") == "Playing")
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(music)
        #expect(music.calls == ["Pause", "Play", "Pause"] && radio.calls.isEmpty)
    }

    @Test func playerStaysPausedIfSilenceEndsWithoutNotify() throws {
        let environment = try BusEnvironment()
        let music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus)
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(music)
        environment.players.setSilence(.released(notify: false))
        // The next request for silence pauses another player, which shows that the loop has handled all earlier
        // messages.
        let radio = try MPRISPlayerStandIn("radio", "Playing", on: environment.bus)
        try environment.processPendingMessages()
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(radio)
        #expect(music.calls == ["Pause"])
    }

    @Test func playerOperatedByUserIsNotResumed() throws {
        let environment = try BusEnvironment()
        let music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus),
            radio = try MPRISPlayerStandIn("radio", "Playing", on: environment.bus)
        environment.players.setSilence(.requested)
        try environment.processMessages { music.calls == ["Pause"] && radio.calls == ["Pause"] }
        try music.sendUserCommand("play")
        try music.sendUserCommand("pause")
        try environment.processPendingMessages()
        environment.players.setSilence(.released(notify: true))
        try environment.processMessages { radio.calls == ["Pause", "Play"] }
        #expect(music.calls == ["Pause", "Play", "Pause"])
    }

    @Test(arguments: ["swiftplay.instance7", "swiftplay", "playerctld", "kdeconnect.mpris_000001"])
    func swiftPlayProgramsProxiesAndRemotePlayersAreNotPaused(name: String) throws {
        let environment = try BusEnvironment()
        let exemptPlayer = try MPRISPlayerStandIn(name, "Playing", on: environment.bus),
            music = try MPRISPlayerStandIn("zzz", "Playing", on: environment.bus)
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(music)
        environment.players.setSilence(.released(notify: true))
        try environment.processMessages { music.calls == ["Pause", "Play"] }
        #expect(exemptPlayer.calls.isEmpty)
    }

    @Test func exitedPlayerIsForgottenAndNewPlayerIsNotPaused() throws {
        let environment = try BusEnvironment()
        let music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus),
            radio = try MPRISPlayerStandIn("radio", "Playing", on: environment.bus)
        environment.players.setSilence(.requested)
        try environment.processMessages { music.calls == ["Pause"] && radio.calls == ["Pause"] }
        music.child.signal(SIGKILL)
        try music.child.waitForExit()
        let newPlayer = try MPRISPlayerStandIn("music", "Playing", on: environment.bus)
        try environment.processPendingMessages()
        environment.players.setSilence(.released(notify: true))
        try environment.processMessages { radio.calls == ["Pause", "Play"] }
        #expect(newPlayer.calls.isEmpty)
    }

    @Test func hangingPlayerDoesNotDelayOthers() throws {
        let environment = try BusEnvironment()
        let stoppedPlayer = try MPRISPlayerStandIn("aaa", "Playing", on: environment.bus),
            music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus)
        stoppedPlayer.child.signal(SIGSTOP)
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(music)
        #expect(stoppedPlayer.calls.isEmpty)
        environment.players.setSilence(.released(notify: true))
        try environment.processMessages { music.calls == ["Pause", "Play"] }
    }

    @Test func disablingTheSettingResumesPausedPlayers() throws {
        let environment = try BusEnvironment()
        let music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus)
        environment.players.isEnabled = false
        environment.players.setSilence(.requested)
        #expect(environment.players.descriptor == -1)
        environment.players.isEnabled = true
        try environment.runUntilPaused(music)
        environment.players.isEnabled = false
        try environment.processMessages { music.calls == ["Pause", "Play"] }
    }

    @Test func silenceAfterTheEndOfTheBusOpensNoConnection() throws {
        let environment = try BusEnvironment()
        let music = try MPRISPlayerStandIn("music", "Playing", on: environment.bus)
        environment.players.setSilence(.requested)
        try environment.runUntilPaused(music)
        try environment.bus.end()
        try environment.processMessages { environment.players.descriptor == -1 }
        environment.players.setSilence(.released(notify: true))
        environment.players.setSilence(.requested)
        #expect(environment.players.descriptor == -1 && environment.players.deadline == nil)
    }

    @Test func busIsDisconnectedAfterSilence() throws {
        let environment = try BusEnvironment()
        environment.players.setSilence(.requested)
        #expect(environment.players.descriptor >= 0)
        environment.players.setSilence(.released(notify: true))
        environment.players.process(now: MonotonicTime.now + 60_000_000_000)
        #expect(environment.players.descriptor == -1 && environment.players.deadline == nil)
    }
}
