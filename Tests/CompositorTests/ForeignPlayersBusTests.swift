import Glibc
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

/// With other programs as players, on a bus of the test's own, in a loop as the compositor's.
@Suite struct ForeignPlayersBusTests {
    private final class Rig {
        let bus: SessionBus
        let players: ForeignPlayersBus

        init() throws {
            let bus = try SessionBus()
            self.bus = bus
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            players = ForeignPlayersBus(logger: logger) { bus.address }
        }

        func run(within patience: Duration = .seconds(10), until isSo: () throws -> Bool) throws {
            let end = Deadline.after(patience)
            while try !isSo() {
                guard MonotonicTime.now < end else { throw RigError("it did not come to be within \(patience)") }
                // What the player writes wakes nobody here.
                let look = MonotonicTime.now + 5_000_000
                var entries = [Poll.Entry(players.descriptor, players.events)]
                try Poll.wait(&entries, until: [players.deadline, look].compactMap { $0 }.min())
                players.process(now: MonotonicTime.now)
            }
        }

        /// Takes what has been said on the bus: all that is older than an answer to somebody else.
        func catchUp() throws {
            _ = try? bus.playerctl("status", player: "nobody")
            players.process(now: MonotonicTime.now)
        }

        /// Until a player that came last is dealt with: so are those before it.
        func runUntilPaused(_ player: StrangePlayer) throws { try run { player.calls.last == "Pause" } }
    }

    @Test func playingPlayerIsPausedAndResumed() throws {
        let rig = try Rig()
        let music = try StrangePlayer("music", "Playing", on: rig.bus),
            radio = try StrangePlayer("radio", "Paused", on: rig.bus)
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(music)
        rig.players.setSilence(.wanted)
        rig.players.setSilence(.released(notify: true))
        try rig.run { music.calls.last == "Play" }
        #expect(try rig.bus.playerctl("status", player: "music") == "Playing")
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(music)
        #expect(music.calls == ["Pause", "Play", "Pause"] && radio.calls.isEmpty)
    }

    @Test func playerStaysPausedWithoutNotify() throws {
        let rig = try Rig()
        let music = try StrangePlayer("music", "Playing", on: rig.bus)
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(music)
        rig.players.setSilence(.released(notify: false))
        // Whoever plays by the next silence is paused: then the loop has been through.
        let radio = try StrangePlayer("radio", "Playing", on: rig.bus)
        try rig.catchUp()
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(radio)
        #expect(music.calls == ["Pause"])
    }

    @Test func playerOperatedByUserIsNotResumed() throws {
        let rig = try Rig()
        let music = try StrangePlayer("music", "Playing", on: rig.bus),
            radio = try StrangePlayer("radio", "Playing", on: rig.bus)
        rig.players.setSilence(.wanted)
        try rig.run { music.calls == ["Pause"] && radio.calls == ["Pause"] }
        try music.user("play")
        try music.user("pause")
        try rig.catchUp()
        rig.players.setSilence(.released(notify: true))
        try rig.run { radio.calls == ["Pause", "Play"] }
        #expect(music.calls == ["Pause", "Play", "Pause"])
    }

    @Test(arguments: ["swiftplay.instance7", "swiftplay", "playerctld", "kdeconnect.mpris_000001"])
    func whoIsOursOrElsewhereIsLeftAlone(name: String) throws {
        let rig = try Rig()
        let ours = try StrangePlayer(name, "Playing", on: rig.bus),
            music = try StrangePlayer("zzz", "Playing", on: rig.bus)
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(music)
        rig.players.setSilence(.released(notify: true))
        try rig.run { music.calls == ["Pause", "Play"] }
        #expect(ours.calls.isEmpty)
    }

    @Test func exitedPlayerIsForgottenAndNewPlayerIsNotPaused() throws {
        let rig = try Rig()
        let music = try StrangePlayer("music", "Playing", on: rig.bus),
            radio = try StrangePlayer("radio", "Playing", on: rig.bus)
        rig.players.setSilence(.wanted)
        try rig.run { music.calls == ["Pause"] && radio.calls == ["Pause"] }
        music.child.signal(SIGKILL)
        try music.child.waitForExit()
        let next = try StrangePlayer("music", "Playing", on: rig.bus)
        try rig.catchUp()
        rig.players.setSilence(.released(notify: true))
        try rig.run { radio.calls == ["Pause", "Play"] }
        #expect(next.calls.isEmpty)
    }

    @Test func hangingPlayerDoesNotDelayOthers() throws {
        let rig = try Rig()
        let stuck = try StrangePlayer("aaa", "Playing", on: rig.bus),
            music = try StrangePlayer("music", "Playing", on: rig.bus)
        stuck.child.signal(SIGSTOP)
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(music)
        #expect(stuck.calls.isEmpty)
        rig.players.setSilence(.released(notify: true))
        try rig.run { music.calls == ["Pause", "Play"] }
    }

    @Test func disablingResumesPausedPlayers() throws {
        let rig = try Rig()
        let music = try StrangePlayer("music", "Playing", on: rig.bus)
        rig.players.isEnabled = false
        rig.players.setSilence(.wanted)
        #expect(rig.players.descriptor == -1)
        rig.players.isEnabled = true
        try rig.runUntilPaused(music)
        rig.players.isEnabled = false
        try rig.run { music.calls == ["Pause", "Play"] }
    }

    @Test func missingBusIsRetriedAtNextSilence() throws {
        let rig = try Rig()
        let music = try StrangePlayer("music", "Playing", on: rig.bus)
        rig.players.setSilence(.wanted)
        try rig.runUntilPaused(music)
        try rig.bus.end()
        try rig.run { rig.players.descriptor == -1 }
        rig.players.setSilence(.released(notify: true))
        rig.players.setSilence(.wanted)
        #expect(rig.players.descriptor == -1 && rig.players.deadline == nil)
    }

    @Test func busIsDisconnectedAfterSilence() throws {
        let rig = try Rig()
        rig.players.setSilence(.wanted)
        #expect(rig.players.descriptor >= 0)
        rig.players.setSilence(.released(notify: true))
        rig.players.process(now: MonotonicTime.now + 60_000_000_000)
        #expect(rig.players.descriptor == -1 && rig.players.deadline == nil)
    }
}
