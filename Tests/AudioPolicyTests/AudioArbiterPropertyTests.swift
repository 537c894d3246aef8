import Glibc
import Testing

@testable import AudioPolicy

/// Whatever happens, in whatever order: what is promised holds after every single event.
@Suite struct AudioArbiterPropertyTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        /// Of a fixed sequence: what fails once fails again.
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 29) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    private enum Event: CaseIterable {
        case activate, activateByHand, leave, leaveSilently, run, stop, die, configure, front, back, float, freeze,
            thaw, callComes, banner, accept, callEnds
        case silent, loud, lock, unlock, deviceGone, time, mayPlay, mayNotPlay, staysOnLoss
    }

    private static let clients = 5
    private static let configurations: [AudioConfiguration] = AudioEffectTests.archetypes.compactMap {
        if case .program(let made) = $0.party { made } else { nil }
    }

    /// What each program was told, and what it is owed.
    private struct Ledger {
        /// A `began` that neither an `ended` nor an act of its own has closed; true: of a device that went, which none
        /// closes.
        var open: [AudioArbiter.ID: Bool] = [:]
        var complaint: String?

        mutating func hear(_ actions: [AudioArbiter.Action]) {
            for action in actions {
                switch action {
                case .notify(let id, .began(let reason)):
                    if open[id] == false { complaint = "began twice" }
                    open[id] = reason == .routeDisconnected
                case .notify(let id, .ended):
                    if open[id] == nil { complaint = "ended without began" }
                    open[id] = nil
                case .activated(let id, _, _, _), .done(let id, _): if !isConfiguring { open[id] = nil }
                default: break
                }
            }
        }
        /// An answer to a configuration closes nothing.
        var isConfiguring = false
    }

    private static func check(_ arbiter: AudioArbiter, _ ledger: Ledger) -> String? {
        if let complaint = ledger.complaint { return complaint }
        let sessions = arbiter.ids.compactMap { id in arbiter.session(id).map { (id, $0) } }
        let alone = Set(sessions.filter { $0.1.claim == .active && !$0.1.configuration.isMixable }.map(\.0.client))
        if alone.count > 1 { return "two that do not mix are active" }
        for (id, session) in sessions {
            for case .session(let holder) in session.heldBy where arbiter.session(holder) == nil {
                return "held by one that is gone"
            }
            if session.claim != .interrupted, !session.heldBy.isEmpty { return "held though not interrupted" }
            if session.claim == .interrupted, session.heldBy.isEmpty, ledger.open[id] != true {
                return "interrupted by nobody"
            }
            if session.claim == .interrupted, ledger.open[id] == nil { return "interrupted without a word" }
            if session.claim == .active, arbiter.isLockedOut(session, session.configuration) {
                return "heard behind the lock without the right"
            }
            let isLowered =
                session.claim == .active && session.configuration.hasOutput
                && (arbiter.isCalled
                    || !session.configuration.ducks
                        && sessions.contains {
                            $0.0.client != id.client && $0.1.claim == .active && $0.1.configuration.ducks
                                && !$0.1.isDuckLifted
                        })
            if isLowered != session.isDucked { return "lowered by nobody, or not lowered" }
        }
        return nil
    }

    private static func step(
        _ arbiter: inout AudioArbiter, _ ledger: inout Ledger, _ dice: inout Dice, now: inout Int64,
        clients: Int = AudioArbiterPropertyTests.clients, sessions: UInt32 = 2
    ) {
        let id = AudioArbiter.ID(
            client: .random(in: 1...UInt64(clients), using: &dice), session: .random(in: 0..<sessions, using: &dice))
        var actions = arbiter.session(id) == nil ? arbiter.add(id, mayPlayInBackground: id.client != 1, now: now) : []
        ledger.isConfiguring = false
        switch Event.allCases.randomElement(using: &dice) ?? .time {
        case .activate: actions += arbiter.activate(id, now: now)
        case .activateByHand: actions += arbiter.activate(id, hasGesture: true, now: now)
        case .leave: actions += arbiter.deactivate(id, isNotified: true, now: now)
        case .leaveSilently: actions += arbiter.deactivate(id, isNotified: false, now: now)
        case .run: actions += arbiter.setRunning(true, of: id, now: now)
        case .stop: actions += arbiter.setRunning(false, of: id, now: now)
        case .die:
            actions += arbiter.removeAll(of: id.client, now: now)
            for gone in ledger.open.keys where gone.client == id.client { ledger.open[gone] = nil }
        case .configure:
            ledger.isConfiguring = true
            actions += arbiter.configure(id, configurations.randomElement(using: &dice) ?? .initial, now: now)
        case .front: actions += arbiter.setPresence(.foreground, of: id.client, now: now)
        case .back: actions += arbiter.setPresence(.background, of: id.client, now: now)
        case .float: actions += arbiter.setPresence(.pictureInPicture, of: id.client, now: now)
        case .freeze: actions += arbiter.suspend(client: id.client, now: now)
        case .thaw: actions += arbiter.thaw(client: id.client, now: now)
        case .callComes: actions += arbiter.callComes(isBanner: false, now: now)
        case .banner: actions += arbiter.callComes(isBanner: true, now: now)
        case .accept: actions += arbiter.callAccepted(now: now)
        case .callEnds: actions += arbiter.callEnds(now: now)
        case .silent: actions += arbiter.setSilent(true, now: now)
        case .loud: actions += arbiter.setSilent(false, now: now)
        case .lock: actions += arbiter.setLocked(true, now: now)
        case .unlock: actions += arbiter.setLocked(false, now: now)
        case .mayPlay: actions += arbiter.setMayPlayInBackground(true, of: id.client, now: now)
        case .mayNotPlay: actions += arbiter.setMayPlayInBackground(false, of: id.client, now: now)
        case .staysOnLoss: arbiter.setPrefersInterruptionOnRouteDisconnect(false, of: id)
        case .deviceGone: actions += arbiter.outputIsGone(heardBy: arbiter.ids, now: now)
        case .time:
            now += .random(in: 0...3_000_000_000, using: &dice)
            while let deadline = arbiter.deadline, deadline <= now { actions += arbiter.tick(now: deadline) }
        }
        ledger.hear(actions)
    }

    @Test("what is promised holds after each of a hundred thousand random events", arguments: 0..<8)
    func promises(seed: UInt64) {
        var arbiter = AudioArbiter(), ledger = Ledger(), dice = Dice(state: seed &* 77_777 &+ 1), now: Int64 = 0
        for number in 0..<12_500 {
            let before = arbiter
            Self.step(&arbiter, &ledger, &dice, now: &now)
            if let complaint = Self.check(arbiter, ledger) {
                Issue.record("\(complaint), event \(number): \(before) became \(arbiter)")
                return
            }
        }
    }

    /// Seconds of simulated time: half an hour, or a day with `SWIFTPLAY_LONG_TESTS` set.
    private static let simulatedSeconds: Int64 = getenv("SWIFTPLAY_LONG_TESTS") == nil ? 1800 : 86_400

    @Test(
        "twenty programs that come, claim, leave and crash: no duck is stuck, no end is missing, nothing is reported twice"
    )
    func manyPrograms() {
        var arbiter = AudioArbiter(), ledger = Ledger(), dice = Dice(state: 20), now: Int64 = 0, number = 0
        while now < Self.simulatedSeconds * 1_000_000_000 {
            Self.step(&arbiter, &ledger, &dice, now: &now, clients: 20, sessions: 1)
            number += 1
            // Each state is one that the others come from: a part of them is looked at.
            guard number % 32 == 0, let complaint = Self.check(arbiter, ledger) else { continue }
            Issue.record("\(complaint), event \(number), second \(now / 1_000_000_000)")
            return
        }
        _ = arbiter.callEnds(now: now)
        for client in 1...20 as ClosedRange<UInt64> {
            ledger.hear(arbiter.removeAll(of: client, now: now))
            for gone in ledger.open.keys where gone.client == client { ledger.open[gone] = nil }
        }
        _ = arbiter.tick(now: now + 10_000_000_000)
        #expect(arbiter.ids.isEmpty && arbiter.deadline == nil && ledger.open.isEmpty && ledger.complaint == nil)
        #expect(number > 9 * Self.simulatedSeconds)
    }

    @Test("the same events give the same answers")
    func sameAgain() {
        func run() -> AudioArbiter {
            var arbiter = AudioArbiter(), ledger = Ledger(), dice = Dice(state: 4711), now: Int64 = 0
            for _ in 0..<20_000 { Self.step(&arbiter, &ledger, &dice, now: &now) }
            return arbiter
        }
        #expect(run() == run())
    }

    @Test("when all have left, nothing is left of them")
    func nothingIsLeft() {
        for seed in 0..<200 as Range<UInt64> {
            var arbiter = AudioArbiter(), ledger = Ledger(), dice = Dice(state: seed), now: Int64 = 0
            for _ in 0..<200 { Self.step(&arbiter, &ledger, &dice, now: &now) }
            _ = arbiter.callEnds(now: now)
            for client in 1...UInt64(Self.clients) { _ = arbiter.removeAll(of: client, now: now) }
            _ = arbiter.tick(now: now + 10_000_000_000)
            #expect(arbiter.ids.isEmpty && arbiter.deadline == nil)
        }
    }
}
