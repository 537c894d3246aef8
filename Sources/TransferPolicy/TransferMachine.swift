/// The state machine of a transfer: a value that turns inputs into a new state and actions.
///
/// The ledger stores the new state before it performs the actions, in order. After a crash it loads the state and calls
/// ``handle(_:)`` with ``Input/restarted(_:)``.
///
/// The machine guarantees: each `start` is followed by at most one `stop` of the same run; exactly one of
/// `deliverFinished`, `deliverFailure` and `deliverCancellation` is returned; `deletePart` is returned only after the
/// acknowledgement.
package struct TransferMachine: Hashable, Sendable {
    /// A request of the program or the user, a report of the engine, or a change that the ledger observed.
    package enum Input: Hashable, Sendable {
        /// The program or the user starts the transfer, or continues it.
        case resume
        /// The program or the user suspends the transfer.
        case suspend
        /// The program or the user cancels the transfer.
        case cancel
        /// The conditions for this transfer changed; the value is the first condition that is not met, or nil.
        case conditionsChanged(WaitingReason?)
        /// A delay passed, space was freed, credentials were supplied, or the network changed.
        case waitEnded
        /// ``AdmissionPolicy`` gives the transfer a slot.
        case admit
        /// The engine reports about the run with the number `run`.
        case engine(run: Int, EngineReport)
        /// The engine has exited or crashed.
        case engineExited
        /// The comparison of length and digest has ended.
        case verified(isValid: Bool)
        /// The file has its final name, and the directory is synchronised.
        case published
        /// A resource of a package has its final name, and the package needs further resources.
        case resourcePublished
        /// The file cannot be opened, synchronised or renamed now; the number is the system's error number.
        case publishFailed(errorNumber: Int32)
        /// The transfer cannot go on, for example because its directory was replaced.
        case fail(TransferFailure)
        /// The resource timeout has passed.
        case deadlinePassed
        /// The program has acknowledged the last event of the transfer.
        case acknowledge
        /// The ledger has started again; the value is what it found on the disk.
        case restarted(RecoveredPart)
    }

    /// A report of the engine about one run.
    package enum EngineReport: Hashable, Sendable {
        /// The reply was accepted; bytes follow.
        case responded
        /// All bytes are in the part file and synchronised.
        case bodyReceived
        /// The run has ended early.
        case interrupted(Interruption)
    }

    /// The reason why a run of the engine ended early.
    package enum Interruption: Hashable, Sendable {
        /// A fault of the network or server; ``RetryPolicy`` has chosen the time of the next attempt.
        case temporary(retryAt: Duration)
        /// The disk is full or fails; the number is the system's error number.
        case disk(errorNumber: Int32)
        /// The server or proxy requires credentials.
        case credentials
        /// The sign-in page of a network answered; the transfer looks again at this boot time.
        case portal(retryAt: Duration)
        /// Another attempt cannot succeed.
        case permanent(TransferFailure)
    }

    /// The bytes of a transfer that the ledger finds after its start.
    package enum RecoveredPart: Hashable, Sendable, CaseIterable {
        /// The part file does not exist.
        case missing
        /// The part file exists and is not complete.
        case partial
        /// The part file has all bytes of the content, they are durable, and the engine need not compare them.
        case whole
        /// The file with the inode of the part file has the final name.
        case published
    }

    /// An action that the ledger performs.
    package enum Action: Hashable, Sendable {
        /// Order the engine to run the transfer from the durable length; `run` is the number of this run.
        case start(run: Int)
        /// Order the engine to stop the run, which synchronises the part file.
        case stop(run: Int)
        /// Ask the program for credentials; start the program if it is not running.
        case requestCredentials
        /// Compare length and digest of the part file, and then report ``Input/verified(isValid:)``.
        case verify
        /// Synchronise and rename the part file, synchronise the directory, and then report ``Input/published``.
        case publish
        /// Queue the events of a finished transfer in the same transaction as the state.
        case deliverFinished
        /// Queue the events of a failed transfer in the same transaction as the state.
        case deliverFailure(TransferFailure)
        /// Queue the event of a cancelled transfer in the same transaction as the state.
        case deliverCancellation
        /// Forget the bytes received so far, so that the next run begins at 0.
        case restartFromZero
        /// Delete the part file or the staged file, if it still exists.
        case deletePart
    }

    /// The current state of the transfer.
    package private(set) var state: TransferState
    /// The number of the newest run. Reports of older runs are ignored.
    package private(set) var runNumber = 0

    /// Creates the machine of a new transfer, or of a stored transfer with its state.
    package init(state: TransferState = .created) { self.state = state }

    /// Handles an input and returns the actions to perform, in order. An input that does not fit the state has no
    /// effect.
    package mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .engine(let run, let report): run == runNumber && state.isRunning ? handle(report) : []
        case .restarted(let part): recover(part)
        default: transition(input)
        }
    }

    /// Changes the state for an input of the program, the user or the ledger.
    private mutating func transition(_ input: Input) -> [Action] {
        switch (state, input) {
        case (.created, .resume), (.paused, .resume): return enter(.queued)
        // All bytes have arrived, so there is nothing to suspend.
        case (.waiting(.publication), .suspend): return []
        case (.queued, .suspend), (.waiting, .suspend): return enter(.paused)
        case (.connecting, .suspend), (.receiving, .suspend): return enter(.paused, [.stop(run: runNumber)])

        case (.created, .cancel), (.queued, .cancel), (.waiting, .cancel), (.paused, .cancel), (.verifying, .cancel):
            return enter(.cancelled, [.deliverCancellation])
        case (.connecting, .cancel), (.receiving, .cancel):
            return enter(.cancelled, [.stop(run: runNumber), .deliverCancellation])

        case (.queued, .conditionsChanged(.some(let reason))): return enter(.waiting(reason))
        case (.waiting(let old), .conditionsChanged(let new)) where old.isCondition:
            return enter(new.map { .waiting($0) } ?? .queued)
        case (.connecting, .conditionsChanged(.some(let reason))) where reason.interruptsTransfers,
            (.receiving, .conditionsChanged(.some(let reason))) where reason.interruptsTransfers:
            return enter(.waiting(reason), [.stop(run: runNumber)])
        case (.waiting(.publication), .waitEnded): return enter(.verifying, [.verify])
        case (.waiting, .waitEnded): return enter(.queued)

        case (.queued, .admit):
            runNumber += 1
            return enter(.connecting, [.start(run: runNumber)])
        case (.connecting, .engineExited), (.receiving, .engineExited): return enter(.queued)

        case (.verifying, .verified(isValid: true)): return enter(.finishing, [.publish])
        case (.verifying, .verified(isValid: false)): return fail(.digestMismatch)
        case (.finishing, .published): return enter(.finished, [.deliverFinished])
        case (.finishing, .resourcePublished): return enter(.queued)
        case (.verifying, .publishFailed(let errorNumber)), (.finishing, .publishFailed(let errorNumber)):
            return enter(.waiting(.publication(errorNumber: errorNumber)))

        case (.queued, .deadlinePassed), (.waiting, .deadlinePassed), (.connecting, .deadlinePassed),
            (.receiving, .deadlinePassed):
            return fail(.resourceTimeout)
        case (_, .fail(let failure)) where !state.isTerminal: return fail(failure)
        case (.finished, .acknowledge), (.failed, .acknowledge), (.cancelled, .acknowledge):
            return enter(.delivered, [.deletePart])
        default: return []
        }
    }

    /// Changes the state for a report about the current run.
    private mutating func handle(_ report: EngineReport) -> [Action] {
        switch report {
        case .responded: enter(.receiving)
        case .bodyReceived: enter(.verifying, [.verify])
        case .interrupted(.temporary(let time)): enter(.waiting(.retry(until: time)))
        case .interrupted(.disk(let errorNumber)): enter(.waiting(.disk(errorNumber: errorNumber)))
        case .interrupted(.credentials): enter(.waiting(.credentials), [.requestCredentials])
        case .interrupted(.portal(let time)): enter(.waiting(.signInPage(until: time)))
        case .interrupted(.permanent(let failure)): enter(.failed(failure), [.deliverFailure(failure)])
        }
    }

    /// Changes a stored state after a start of the ledger. No run of the engine has survived.
    private mutating func recover(_ part: RecoveredPart) -> [Action] {
        switch (state, part) {
        case (.finishing, .published), (.waiting(.publication), .published): enter(.finished, [.deliverFinished])
        case (.finishing, .whole): enter(.finishing, [.publish])
        case (.verifying, .whole), (.waiting(.publication), .whole): enter(.verifying, [.verify])
        case (.connecting, .missing), (.receiving, .missing), (.verifying, .missing), (.finishing, .missing),
            (.waiting(.publication), .missing):
            enter(.queued, [.restartFromZero])
        case (.connecting, _), (.receiving, _), (.verifying, _), (.finishing, _), (.waiting(.publication), _):
            enter(.queued)
        // The program is asked again, because the first request may be lost.
        case (.waiting(.credentials), .missing): [.restartFromZero, .requestCredentials]
        case (.waiting(.credentials), _): [.requestCredentials]
        case (.queued, .missing), (.waiting, .missing), (.paused, .missing): [.restartFromZero]
        // A crash came after the last byte and before the next state was stored. The server is not asked again.
        case (.queued, .whole), (.waiting, .whole): enter(.verifying, [.verify])
        default: []
        }
    }

    /// Ends the transfer with a failure, and stops the current run.
    private mutating func fail(_ failure: TransferFailure) -> [Action] {
        let stop: [Action] = state.isRunning ? [.stop(run: runNumber)] : []
        return enter(.failed(failure), stop + [.deliverFailure(failure)])
    }

    private mutating func enter(_ newState: TransferState, _ actions: [Action] = []) -> [Action] {
        state = newState
        return actions
    }
}
