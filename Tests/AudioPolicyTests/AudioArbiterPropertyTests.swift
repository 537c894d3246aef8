import Glibc
import Testing

@testable import AudioPolicy

/// Tests that the arbiter's invariants hold after every event of random sequences.
@Suite struct AudioArbiterPropertyTests {
    /// A random number generator whose seed is ``state``.
    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64
        /// Returns the next number. The same seed gives the same sequence, so that failures are reproducible.
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 29) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    /// An event of a random sequence; ``passRandomEvent(_:_:_:now:clients:sessions:)`` passes it to the arbiter.
    private enum Event: CaseIterable {
        case activate, activateByGesture, deactivate, deactivateWithoutNotifying, startRendering, stopRendering,
            programExits, configure, enterForeground, enterBackground, enterPictureInPicture, suspendProgram,
            resumeProgram, callArrives, callArrivesAsBanner, callIsAccepted, callEnds
        case turnSilentSwitchOn, turnSilentSwitchOff, lockScreen, unlockScreen, audioDeviceIsRemoved, timePasses,
            permitBackgroundPlayback, forbidBackgroundPlayback, optOutOfDeviceLossInterruption
    }

    /// The number of programs in a random sequence.
    private static let programCount = 5
    /// The configurations that a random event may give to a session.
    private static let configurations: [AudioConfiguration] = SessionActivationEffectTests.sessionKinds.compactMap {
        if case .program(let configuration) = $0.participant { configuration } else { nil }
    }

    /// Checks the sequence of the arbiter's notifications: each interruption of a session must begin before it ends.
    private struct NoticeChecker {
        /// The sessions with an open interruption: the arbiter has sent `began`, and neither an `ended` notification
        /// nor a request of the session itself has closed the interruption.
        ///
        /// The value is true if the loss of an audio device caused the interruption: no `ended` notification follows
        /// then.
        var openInterruptions: [AudioArbiter.ID: Bool] = [:]
        /// Describes the last notification in a wrong order: each `began` may be followed by one `ended`. Nil if the
        /// order was always right.
        var violation: String?

        /// Checks the notifications that `actions` of the arbiter contain.
        mutating func receive(_ actions: [AudioArbiter.Action]) {
            for action in actions {
                switch action {
                case .notify(let id, .began(let reason)):
                    if openInterruptions[id] == false { violation = "began twice" }
                    openInterruptions[id] = reason == .routeDisconnected
                case .notify(let id, .ended):
                    if openInterruptions[id] == nil { violation = "ended without began" }
                    openInterruptions[id] = nil
                case .activated(let id, _, _, _), .requestCompleted(let id, _):
                    if !isConfiguring { openInterruptions[id] = nil }
                default: break
                }
            }
        }
        /// Removes the open interruptions of a program that was removed.
        mutating func removeInterruptions(of client: UInt64) {
            openInterruptions = openInterruptions.filter { $0.key.client != client }
        }
        /// Whether the checked actions reply to a change of a session's category; such a reply closes no interruption.
        var isConfiguring = false
    }

    /// Returns the first violated invariant of the arbiter's state; nil if all invariants hold.
    private static func firstViolatedInvariant(_ arbiter: AudioArbiter, _ checker: NoticeChecker) -> String? {
        if let violation = checker.violation { return violation }
        let sessions = arbiter.ids.compactMap { id in arbiter.session(id).map { (id, $0) } }
        let exclusivePrograms = Set(
            sessions.filter { $0.1.activation == .active && !$0.1.configuration.isMixable }.map(\.0.client))
        if exclusivePrograms.count > 1 { return "two programs that do not mix are active" }
        for (id, session) in sessions {
            for case .session(let causeID) in session.interruptedBy where arbiter.session(causeID) == nil {
                return "held by a session that was removed"
            }
            if session.activation != .interrupted, !session.interruptedBy.isEmpty { return "held but not interrupted" }
            if session.activation == .interrupted, session.interruptedBy.isEmpty,
                checker.openInterruptions[id] != true
            {
                return "interrupted without a holder"
            }
            if session.activation == .interrupted, checker.openInterruptions[id] == nil {
                return "interrupted without a notification"
            }
            if session.activation == .active, arbiter.isLockedOut(session, session.configuration) {
                return "active behind the lock without background playback"
            }
            let shouldBeDucked =
                session.activation == .active && session.configuration.hasOutput
                && (arbiter.isInCall
                    || !session.configuration.ducksOthers
                        && sessions.contains {
                            $0.0.client != id.client && $0.1.activation == .active && $0.1.configuration.ducksOthers
                                && !$0.1.hasStoppedDucking
                        })
            if shouldBeDucked != session.isDucked { return "ducked without a reason, or not ducked" }
        }
        return nil
    }

    /// Passes one random event about a random session to the arbiter.
    private static func passRandomEvent(
        _ arbiter: inout AudioArbiter, _ checker: inout NoticeChecker, _ generator: inout SeededGenerator,
        now: inout Int64, clients: Int = AudioArbiterPropertyTests.programCount, sessions: UInt32 = 2
    ) {
        let id = AudioArbiter.ID(
            client: .random(in: 1...UInt64(clients), using: &generator),
            session: .random(in: 0..<sessions, using: &generator))
        var actions = arbiter.session(id) == nil ? arbiter.add(id, mayPlayInBackground: id.client != 1, now: now) : []
        checker.isConfiguring = false
        switch Event.allCases.randomElement(using: &generator) ?? .timePasses {
        case .activate: actions += arbiter.activate(id, now: now)
        case .activateByGesture: actions += arbiter.activate(id, hasGesture: true, now: now)
        case .deactivate: actions += arbiter.deactivate(id, notifiesOthers: true, now: now)
        case .deactivateWithoutNotifying: actions += arbiter.deactivate(id, notifiesOthers: false, now: now)
        case .startRendering: actions += arbiter.setRunning(true, of: id, now: now)
        case .stopRendering: actions += arbiter.setRunning(false, of: id, now: now)
        case .programExits:
            actions += arbiter.removeAll(of: id.client, now: now)
            checker.removeInterruptions(of: id.client)
        case .configure:
            checker.isConfiguring = true
            actions += arbiter.configure(id, configurations.randomElement(using: &generator) ?? .initial, now: now)
        case .enterForeground: actions += arbiter.setVisibility(.foreground, of: id.client, now: now)
        case .enterBackground: actions += arbiter.setVisibility(.background, of: id.client, now: now)
        case .enterPictureInPicture: actions += arbiter.setVisibility(.pictureInPicture, of: id.client, now: now)
        case .suspendProgram: actions += arbiter.suspend(client: id.client, now: now)
        case .resumeProgram: actions += arbiter.resume(client: id.client, now: now)
        case .callArrives: actions += arbiter.handleIncomingCall(isBanner: false, now: now)
        case .callArrivesAsBanner: actions += arbiter.handleIncomingCall(isBanner: true, now: now)
        case .callIsAccepted: actions += arbiter.handleAcceptedCall(now: now)
        case .callEnds: actions += arbiter.handleEndOfCall(now: now)
        case .turnSilentSwitchOn: actions += arbiter.setSilent(true, now: now)
        case .turnSilentSwitchOff: actions += arbiter.setSilent(false, now: now)
        case .lockScreen: actions += arbiter.setLocked(true, now: now)
        case .unlockScreen: actions += arbiter.setLocked(false, now: now)
        case .permitBackgroundPlayback: actions += arbiter.setMayPlayInBackground(true, of: id.client, now: now)
        case .forbidBackgroundPlayback: actions += arbiter.setMayPlayInBackground(false, of: id.client, now: now)
        case .optOutOfDeviceLossInterruption: arbiter.setPrefersInterruptionOnRouteDisconnect(false, of: id)
        case .audioDeviceIsRemoved: actions += arbiter.handleOutputRemoval(affecting: arbiter.ids, now: now)
        case .timePasses:
            now += .random(in: 0...3_000_000_000, using: &generator)
            while let deadline = arbiter.deadline, deadline <= now { actions += arbiter.tick(now: deadline) }
        }
        checker.receive(actions)
    }

    /// The number of random events for each seed; 100,000 if the environment variable `SWIFTPLAY_LONG_TESTS` is set.
    private static let eventCount = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 4_000 : 100_000

    @Test("the invariants hold after each random event", arguments: 0..<8)
    func invariantsHoldAfterRandomEvents(seed: UInt64) {
        var arbiter = AudioArbiter(), checker = NoticeChecker(), now: Int64 = 0
        var generator = SeededGenerator(state: seed &* 77_777 &+ 1)
        for eventIndex in 0..<Self.eventCount {
            let arbiterBeforeEvent = arbiter
            Self.passRandomEvent(&arbiter, &checker, &generator, now: &now)
            if let violation = Self.firstViolatedInvariant(arbiter, checker) {
                Issue.record("\(violation), event \(eventIndex): \(arbiterBeforeEvent) became \(arbiter)")
                return
            }
        }
    }

    /// The simulated time in seconds: ten minutes, or a day with `SWIFTPLAY_LONG_TESTS` set.
    private static let simulatedSeconds: Int64 = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 600 : 86_400

    @Test("twenty programs that come, activate, leave and crash leave no duck and no interruption behind")
    func removedProgramsLeaveNoDuckAndNoInterruption() {
        var arbiter = AudioArbiter(), checker = NoticeChecker(), now: Int64 = 0, eventCount = 0
        var generator = SeededGenerator(state: 20)
        while now < Self.simulatedSeconds * 1_000_000_000 {
            Self.passRandomEvent(&arbiter, &checker, &generator, now: &now, clients: 20, sessions: 1)
            eventCount += 1
            // Check the invariants only after every 32nd event, to save time.
            guard eventCount % 32 == 0, let violation = Self.firstViolatedInvariant(arbiter, checker) else { continue }
            Issue.record("\(violation), event \(eventCount), second \(now / 1_000_000_000)")
            return
        }
        _ = arbiter.handleEndOfCall(now: now)
        for client in 1...20 as ClosedRange<UInt64> {
            checker.receive(arbiter.removeAll(of: client, now: now))
            checker.removeInterruptions(of: client)
        }
        _ = arbiter.tick(now: now + 10_000_000_000)
        #expect(arbiter.ids.isEmpty && arbiter.deadline == nil)
        #expect(checker.openInterruptions.isEmpty && checker.violation == nil)
        #expect(eventCount > 9 * Self.simulatedSeconds)
    }

    @Test("the same events lead to the same state")
    func equalEventSequencesLeadToEqualStates() {
        func stateAfterRandomEvents() -> AudioArbiter {
            var arbiter = AudioArbiter(), checker = NoticeChecker(), now: Int64 = 0
            var generator = SeededGenerator(state: 4711)
            for _ in 0..<20_000 { Self.passRandomEvent(&arbiter, &checker, &generator, now: &now) }
            return arbiter
        }
        #expect(stateAfterRandomEvents() == stateAfterRandomEvents())
    }

    @Test("when all programs are removed, no session and no deadline is left")
    func removingAllProgramsLeavesNoState() {
        for seed in 0..<200 as Range<UInt64> {
            var arbiter = AudioArbiter(), checker = NoticeChecker(), now: Int64 = 0
            var generator = SeededGenerator(state: seed)
            for _ in 0..<200 { Self.passRandomEvent(&arbiter, &checker, &generator, now: &now) }
            _ = arbiter.handleEndOfCall(now: now)
            for client in 1...UInt64(Self.programCount) { _ = arbiter.removeAll(of: client, now: now) }
            _ = arbiter.tick(now: now + 10_000_000_000)
            #expect(arbiter.ids.isEmpty && arbiter.deadline == nil)
        }
    }
}
