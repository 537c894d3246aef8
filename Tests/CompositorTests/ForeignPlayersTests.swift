import Testing

@testable import Compositor

@Suite struct ForeignPlayersTests {
    private func run(_ inputs: [ForeignPlayers.Input]) -> [ForeignPlayers.Action] {
        var players = ForeignPlayers()
        return inputs.flatMap { players.handle($0) }
    }

    /// A player that plays, paused by us.
    private let silenced: [ForeignPlayers.Input] = [
        .silence(.wanted), .found("a"), .status("a", .playing), .status("a", .paused),
    ]

    @Test func playingPlayerIsPausedAndResumed() {
        #expect(run(silenced + [.silence(.released(notify: true))]) == [.pause("a"), .play("a")])
    }

    @Test(arguments: [ForeignPlayers.Status.paused, .stopped])
    func whatDoesNotPlayIsLeftAlone(_ status: ForeignPlayers.Status) {
        #expect(run([.silence(.wanted), .found("a"), .status("a", status), .silence(.released(notify: true))]) == [])
    }

    @Test func playersStayPausedWithoutNotify() {
        #expect(run(silenced + [.silence(.released(notify: false))]) == [.pause("a")])
    }

    @Test func repeatedSilenceHasNoEffect() {
        let inputs =
            silenced + [
                .silence(.wanted), .found("a"), .status("a", .paused), .silence(.released(notify: true)),
                .silence(.released(notify: true)),
            ]
        #expect(run(inputs) == [.pause("a"), .play("a")])
    }

    @Test(arguments: [[ForeignPlayers.Status.playing], [.playing, .paused], [.stopped], [.stopped, .paused]])
    func whatItsUserTouchedIsHis(_ statuses: [ForeignPlayers.Status]) {
        #expect(
            run(silenced + statuses.map { .status("a", $0) } + [.silence(.released(notify: true))]) == [.pause("a")])
    }

    @Test func playerStartedDuringSilenceIsNotPaused() {
        #expect(
            run([.silence(.wanted), .appeared("a"), .status("a", .playing), .silence(.released(notify: true))]) == [])
        #expect(run([.silence(.wanted), .found("a"), .status("a", .paused), .status("a", .playing)]) == [])
    }

    @Test func nextSilencePausesPlayersThatPlayThen() {
        let first: [ForeignPlayers.Input] = [
            .silence(.wanted), .appeared("a"), .status("a", .playing), .silence(.released(notify: true)),
        ]
        #expect(run(first + [.silence(.wanted)]) == [.pause("a")])
    }

    @Test func exitedPlayerIsForgotten() {
        #expect(run(silenced + [.vanished("a"), .silence(.released(notify: true))]) == [.pause("a")])
        #expect(
            run(silenced + [.vanished("a"), .appeared("a"), .status("a", .paused), .silence(.released(notify: true))])
                == [.pause("a")])
        #expect(run(silenced + [.lost, .silence(.released(notify: true))]) == [.pause("a")])
    }

    @Test func playerThatFailedToPauseIsNotResumed() {
        let inputs: [ForeignPlayers.Input] = [
            .silence(.wanted), .found("a"), .status("a", .playing), .failed("a", .pause("a")),
        ]
        #expect(run(inputs + [.silence(.released(notify: true))]) == [.pause("a")])
    }

    @Test func unconfirmedPauseIsUndone() {
        #expect(
            run([
                .silence(.wanted), .found("a"), .status("a", .playing), .status("a", .playing),
                .silence(.released(notify: true)),
            ])
                == [.pause("a"), .play("a")])
    }

    /// The two commands would else cross with what the player says of them.
    @Test func nextPauseWaitsForConfirmedPlay() {
        var players = ForeignPlayers()
        for input in silenced + [.silence(.released(notify: true))] { _ = players.handle(input) }
        #expect(players.handle(.silence(.wanted)) == [])
        #expect(players.handle(.status("a", .paused)) == [])
        #expect(players.handle(.status("a", .playing)) == [.pause("a")])
    }

    @Test func playersAreHandledIndependently() {
        let inputs: [ForeignPlayers.Input] = [
            .silence(.wanted), .found("a"), .found("b"), .found("c"), .status("b", .playing), .status("a", .playing),
            .status("c", .paused),
            .status("a", .paused), .status("b", .paused), .status("a", .playing), .silence(.released(notify: true)),
        ]
        #expect(run(inputs) == [.pause("b"), .pause("a"), .play("b")])
    }

    @Test func playersBeyondLimitAreIgnored() {
        var players = ForeignPlayers()
        _ = players.handle(.silence(.wanted))
        let ids = (0...ForeignPlayers.playerLimit).map { "p\($0)" }
        for id in ids { _ = players.handle(.found(id)) }
        #expect(ids.flatMap { players.handle(.status($0, .playing)) }.count == ForeignPlayers.playerLimit)
    }
}
