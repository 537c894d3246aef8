@testable import TransferPolicy

/// The expected effect of every input in every state. A pair that is not in ``rows`` has no effect.
enum TransferMachineTable {
    typealias Input = TransferMachine.Input
    typealias Action = TransferMachine.Action

    struct Row {
        let states: [TransferState]
        let input: Input
        let newState: TransferState
        let actions: [Action]

        init(_ states: [TransferState], _ input: Input, _ newState: TransferState, _ actions: [Action] = []) {
            self.states = states
            self.input = input
            self.newState = newState
            self.actions = actions
        }
    }

    static let retryTime = Duration.seconds(100)
    static let retry = TransferState.waiting(.retry(until: retryTime))
    static let signInPage = TransferState.waiting(.signInPage(until: retryTime))
    static let noDisk = TransferState.waiting(.disk(errorNumber: 28))
    static let unpublished = TransferState.waiting(.publication(errorNumber: 28))
    static let conditions: [WaitingReason] = [
        .network, .portal, .metered, .power, .time(until: .seconds(9)), .hostSlots, .relaunchDelay(until: .seconds(9)),
    ]
    static let waitingForConditions = conditions.map { TransferState.waiting($0) }
    static let waitingForCredentials = TransferState.waiting(.credentials)
    /// The states of transfers that need further bytes.
    static let waiting = waitingForConditions + [retry, signInPage, noDisk, waitingForCredentials]
    static let running: [TransferState] = [.connecting, .receiving]
    static let unfinished: [TransferState] =
        [.created, .queued, .paused, .verifying, .finishing, unpublished] + waiting + running
    static let ended: [TransferState] = [.failed(.certificate), .cancelled, .finished]
    static let states = unfinished + ended + [.delivered]

    static let inputs: [Input] =
        [
            .resume, .suspend, .cancel, .conditionsChanged(nil), .waitEnded, .admit, .engineExited,
            .verified(isValid: true), .verified(isValid: false), .published, .resourcePublished,
            .publishFailed(errorNumber: 28),
            .fail(.directoryChanged), .deadlinePassed, .acknowledge,
        ] + conditions.map { .conditionsChanged($0) } + reports(run: 0) + reports(run: 1)
        + TransferMachine.RecoveredPart.allCases.map { .restarted($0) }

    static func reports(run: Int) -> [Input] {
        [
            .engine(run: run, .responded), .engine(run: run, .bodyReceived),
            .engine(run: run, .interrupted(.temporary(retryAt: retryTime))),
            .engine(run: run, .interrupted(.disk(errorNumber: 28))),
            .engine(run: run, .interrupted(.credentials)),
            .engine(run: run, .interrupted(.portal(retryAt: retryTime))),
            .engine(run: run, .interrupted(.permanent(.certificate))),
        ]
    }

    static let rows: [Row] =
        [
            Row([.created, .paused], .resume, .queued),
            Row([.queued] + waiting, .suspend, .paused),
            Row(running, .suspend, .paused, [.stop(run: 1)]),
            Row(
                [.created, .queued, .paused, .verifying, unpublished] + waiting, .cancel, .cancelled,
                [.deliverCancellation]),
            Row(running, .cancel, .cancelled, [.stop(run: 1), .deliverCancellation]),
            Row(waitingForConditions, .conditionsChanged(nil), .queued),
            Row(waiting, .waitEnded, .queued),
            Row([unpublished], .waitEnded, .verifying, [.verify]),
            Row([.queued], .admit, .connecting, [.start(run: 1)]),
            Row(running, .engineExited, .queued),
            Row([.verifying], .verified(isValid: true), .finishing, [.publish]),
            Row(
                [.verifying], .verified(isValid: false), .failed(.digestMismatch), [.deliverFailure(.digestMismatch)]),
            Row([.finishing], .published, .finished, [.deliverFinished]),
            Row([.finishing], .resourcePublished, .queued),
            Row([.verifying, .finishing], .publishFailed(errorNumber: 28), unpublished),
            Row(
                unfinished.filter { !$0.isRunning }, .fail(.directoryChanged), .failed(.directoryChanged),
                [.deliverFailure(.directoryChanged)]),
            Row(
                running, .fail(.directoryChanged), .failed(.directoryChanged),
                [.stop(run: 1), .deliverFailure(.directoryChanged)]),
            Row(
                [.queued, unpublished] + waiting, .deadlinePassed, .failed(.resourceTimeout),
                [.deliverFailure(.resourceTimeout)]),
            Row(
                running, .deadlinePassed, .failed(.resourceTimeout),
                [.stop(run: 1), .deliverFailure(.resourceTimeout)]),
            Row(ended, .acknowledge, .delivered, [.deletePart]),
        ] + conditionRows + reportRows + recoveryRows

    private static let conditionRows = conditions.flatMap { reason in
        let newState = TransferState.waiting(reason)
        return [
            Row([.queued] + waitingForConditions, .conditionsChanged(reason), newState),
            Row(
                [.network, .portal, .metered, .power].contains(reason) ? running : [], .conditionsChanged(reason),
                newState, [.stop(run: 1)]),
        ]
    }

    private static let reportRows = [
        Row(running, .engine(run: 1, .responded), .receiving),
        Row(running, .engine(run: 1, .bodyReceived), .verifying, [.verify]),
        Row(running, .engine(run: 1, .interrupted(.temporary(retryAt: retryTime))), retry),
        Row(running, .engine(run: 1, .interrupted(.disk(errorNumber: 28))), noDisk),
        Row(running, .engine(run: 1, .interrupted(.credentials)), waitingForCredentials, [.requestCredentials]),
        Row(running, .engine(run: 1, .interrupted(.portal(retryAt: retryTime))), signInPage),
        Row(
            running, .engine(run: 1, .interrupted(.permanent(.certificate))), .failed(.certificate),
            [.deliverFailure(.certificate)]),
    ]

    private static let recoveryRows =
        [
            Row(running + [.verifying, .finishing, unpublished], .restarted(.missing), .queued, [.restartFromZero]),
            Row(running + [.verifying, .finishing, unpublished], .restarted(.partial), .queued),
            Row(running, .restarted(.whole), .queued),
            Row(running + [.verifying], .restarted(.published), .queued),
            Row(
                [.queued, .verifying, unpublished, retry, signInPage, noDisk] + waitingForConditions,
                .restarted(.whole), .verifying, [.verify]),
            Row([.finishing], .restarted(.whole), .finishing, [.publish]),
            Row([.finishing, unpublished], .restarted(.published), .finished, [.deliverFinished]),
            Row(
                [waitingForCredentials], .restarted(.missing), waitingForCredentials,
                [.restartFromZero, .requestCredentials]),
        ]
        + [.partial, .whole, .published].map {
            Row([waitingForCredentials], .restarted($0), waitingForCredentials, [.requestCredentials])
        }
        + ([.queued, .paused, retry, signInPage, noDisk] + waitingForConditions).map {
            Row([$0], .restarted(.missing), $0, [.restartFromZero])
        }

    /// Returns a machine in a state. A running transfer has run 1; other transfers have had no run.
    static func machine(in state: TransferState) -> TransferMachine {
        guard state.isRunning else { return TransferMachine(state: state) }
        var machine = TransferMachine(state: .queued)
        _ = machine.handle(.admit)
        if state == .receiving { _ = machine.handle(.engine(run: 1, .responded)) }
        return machine
    }
}
