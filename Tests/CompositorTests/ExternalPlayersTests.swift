import Testing

@testable import Compositor

@Suite struct ExternalPlayersTests {
    /// Passes inputs to a new `ExternalPlayers` and returns the resulting commands to players.
    private func run(_ inputs: [ExternalPlayers.Input]) -> [ExternalPlayers.Action] {
        var players = ExternalPlayers()
        return inputs.flatMap { players.handle($0) }
    }

    /// The inputs that begin the silence and report that the player `a` played and was then paused by the compositor.
    private let inputsThatPausePlayerA: [ExternalPlayers.Input] = [
        .silence(.requested), .playerFound("a"), .status("a", .playing), .status("a", .paused),
    ]

    @Test func playingPlayerIsPausedAndResumed() {
        #expect(run(inputsThatPausePlayerA + [.silence(.released(notify: true))]) == [.pause("a"), .play("a")])
    }

    @Test(arguments: [ExternalPlayers.Status.paused, .stopped])
    func playersThatDoNotPlayAreNotPaused(_ status: ExternalPlayers.Status) {
        #expect(
            run([.silence(.requested), .playerFound("a"), .status("a", status), .silence(.released(notify: true))])
                == [])
    }

    @Test func playersStayPausedIfSilenceEndsWithoutNotify() {
        #expect(run(inputsThatPausePlayerA + [.silence(.released(notify: false))]) == [.pause("a")])
    }

    @Test func repeatedSilenceHasNoEffect() {
        let inputs =
            inputsThatPausePlayerA + [
                .silence(.requested), .playerFound("a"), .status("a", .paused), .silence(.released(notify: true)),
                .silence(.released(notify: true)),
            ]
        #expect(run(inputs) == [.pause("a"), .play("a")])
    }

    @Test(arguments: [[ExternalPlayers.Status.playing], [.playing, .paused], [.stopped], [.stopped, .paused]])
    func playerOperatedByUserIsNotResumed(_ statuses: [ExternalPlayers.Status]) {
        #expect(
            run(inputsThatPausePlayerA + statuses.map { .status("a", $0) } + [.silence(.released(notify: true))])
                == [.pause("a")])
    }

    @Test func playerStartedDuringSilenceIsNotPaused() {
        #expect(
            run([
                .silence(.requested), .playerConnected("a"), .status("a", .playing), .silence(.released(notify: true)),
            ]) == [])
        #expect(run([.silence(.requested), .playerFound("a"), .status("a", .paused), .status("a", .playing)]) == [])
    }

    @Test func nextSilencePausesPlayersThatPlayWhenItBegins() {
        let inputsOfFirstSilence: [ExternalPlayers.Input] = [
            .silence(.requested), .playerConnected("a"), .status("a", .playing), .silence(.released(notify: true)),
        ]
        #expect(run(inputsOfFirstSilence + [.silence(.requested)]) == [.pause("a")])
    }

    @Test func exitedPlayerIsForgotten() {
        #expect(
            run(inputsThatPausePlayerA + [.playerDisconnected("a"), .silence(.released(notify: true))])
                == [.pause("a")])
        #expect(
            run(
                inputsThatPausePlayerA + [
                    .playerDisconnected("a"), .playerConnected("a"), .status("a", .paused),
                    .silence(.released(notify: true)),
                ]) == [.pause("a")])
        #expect(run(inputsThatPausePlayerA + [.busDisconnected, .silence(.released(notify: true))]) == [.pause("a")])
    }

    @Test func playerThatFailedToPauseIsNotResumed() {
        let inputs: [ExternalPlayers.Input] = [
            .silence(.requested), .playerFound("a"), .status("a", .playing), .callFailed("a", .pause("a")),
        ]
        #expect(run(inputs + [.silence(.released(notify: true))]) == [.pause("a")])
    }

    @Test func unconfirmedPauseIsUndone() {
        #expect(
            run([
                .silence(.requested), .playerFound("a"), .status("a", .playing), .status("a", .playing),
                .silence(.released(notify: true)),
            ])
                == [.pause("a"), .play("a")])
    }

    /// A player's status report does not name the command that caused it. If `Pause` were sent before `Play` is
    /// confirmed, the report about `Play` would be taken for a report about `Pause`.
    @Test func nextPauseWaitsForConfirmedPlay() {
        var players = ExternalPlayers()
        for input in inputsThatPausePlayerA + [.silence(.released(notify: true))] { _ = players.handle(input) }
        #expect(players.handle(.silence(.requested)) == [])
        #expect(players.handle(.status("a", .paused)) == [])
        #expect(players.handle(.status("a", .playing)) == [.pause("a")])
    }

    @Test func playersAreHandledIndependently() {
        let inputs: [ExternalPlayers.Input] = [
            .silence(.requested), .playerFound("a"), .playerFound("b"), .playerFound("c"), .status("b", .playing),
            .status("a", .playing),
            .status("c", .paused),
            .status("a", .paused), .status("b", .paused), .status("a", .playing), .silence(.released(notify: true)),
        ]
        #expect(run(inputs) == [.pause("b"), .pause("a"), .play("b")])
    }

    @Test func playersBeyondLimitAreIgnored() {
        var players = ExternalPlayers()
        _ = players.handle(.silence(.requested))
        let ids = (0...ExternalPlayers.playerLimit).map { "p\($0)" }
        for id in ids { _ = players.handle(.playerFound(id)) }
        #expect(ids.flatMap { players.handle(.status($0, .playing)) }.count == ExternalPlayers.playerLimit)
    }
}
