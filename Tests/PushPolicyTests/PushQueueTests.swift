import TestSupport
import Testing

@testable import PushPolicy

@Suite struct PushQueueTests {
    private typealias Message = PushQueue.Message
    private let payload: PushPayload

    init() throws { payload = try PushPayload(json: Array("{\"aps\":{\"content-available\":1}}".utf8)) }

    @Test func aHundredMessagesInAMinuteWakeTheProgramThreeTimesAndTheNewestWaits() {
        var queue = PushQueue()
        var delivered: [String] = []
        for number in 0..<100 {
            let decision = queue.receive(message("\(number)"), now: .milliseconds(number * 600))
            if case .deliver(let message) = decision { delivered.append(message.id) }
        }
        #expect(delivered == ["0", "1", "2"])
        #expect(queue.pending.map(\.id) == ["99"])
        let counters = queue.counters
        #expect(counters.received == 100 && counters.delivered == 3 && counters.replaced == 96)
        #expect(queue.nextDelivery(now: .seconds(60)) == .seconds(1200))
        #expect(queue.takeDue(now: .seconds(1199)).isEmpty)
        #expect(queue.takeDue(now: .seconds(1200)).map(\.id) == ["99"])
        #expect(queue.counters.delivered == 4 && queue.pending.isEmpty)
    }

    @Test func openingTheProgramDeliversTheWaitingMessageWithoutAWake() {
        var queue = exhaustedQueue()
        _ = queue.receive(message("waiting"), now: .seconds(10))
        let bucket = queue.bucket
        #expect(queue.handleForeground().map(\.id) == ["waiting"])
        #expect(queue.bucket == bucket && queue.pending.isEmpty)
        #expect(queue.handleForeground().isEmpty)
    }

    @Test func anOpenProgramReceivesEveryMessageAtOnce() {
        var queue = exhaustedQueue()
        _ = queue.handleForeground()
        for number in 0..<50 {
            let message = message("open\(number)")
            #expect(queue.receive(message, now: .seconds(10)) == .deliver(message))
        }
        queue.handleBackground()
        #expect(queue.receive(message("closed"), now: .seconds(10)) == .wait(replacing: nil))
    }

    @Test func aWakeForAnotherReasonTakesTheWaitingMessagesAlong() {
        var queue = exhaustedQueue()
        _ = queue.receive(message("a", key: "x"), now: .seconds(10))
        _ = queue.receive(message("b", key: "y"), now: .seconds(11))
        #expect(queue.takeForWake().map(\.id) == ["a", "b"])
        #expect(queue.takeForWake().isEmpty && queue.nextDelivery(now: .seconds(12)) == nil)
    }

    @Test func aMessageThatIsNotUrgentWaitsForAnotherWake() {
        var queue = PushQueue()
        let low = Message(id: "low", payload: payload, isUrgent: false, receivedTime: .seconds(10))
        #expect(queue.receive(low, now: .seconds(10)) == .wait(replacing: nil))
        #expect(queue.takeDue(now: .seconds(11)).isEmpty)
        #expect(queue.nextDelivery(now: .seconds(11)) == .seconds(1210))
        _ = queue.receive(message("high", key: "x"), now: .seconds(12))
        #expect(queue.takeDue(now: .seconds(12)).map(\.id) == ["low", "high"])
    }

    @Test func aMessageThatIsNotUrgentIsDeliveredAfterTwentyMinutes() {
        var queue = PushQueue()
        _ = queue.receive(Message(id: "low", payload: payload, isUrgent: false), now: .zero)
        #expect(queue.takeDue(now: .seconds(1200)).map(\.id) == ["low"])
    }

    @Test(arguments: [(false, 3), (true, 2)])
    func aMessageThatWasNotAcknowledgedWaitsAgain(_ wasStarted: Bool, _ available: Int) {
        var queue = PushQueue()
        _ = queue.receive(message("a"), now: .zero)
        let waits = queue.handleFailedDelivery(message("a"), wasStarted: wasStarted)
        #expect(waits)
        #expect(queue.bucket.available(now: .zero) == available)
        #expect(queue.counters.delivered == 0 && queue.pending.map(\.id) == ["a"])
        #expect(queue.takeDue(now: .zero).map(\.id) == ["a"])
    }

    @Test func aNewerMessageReplacesOneThatWasNotAcknowledged() {
        var queue = exhaustedQueue()
        _ = queue.receive(message("new"), now: .seconds(10))
        let replaced = queue.counters.replaced
        let waits = queue.handleFailedDelivery(message("old"), wasStarted: true)
        #expect(!waits)
        #expect(queue.pending.map(\.id) == ["new"] && queue.counters.replaced == replaced + 1)
    }

    @Test func aNewerMessageReplacesOneWithTheSameKey() {
        var queue = exhaustedQueue()
        #expect(queue.receive(message("a", key: "x"), now: .seconds(10)) == .wait(replacing: nil))
        #expect(queue.receive(message("b", key: "y"), now: .seconds(10)) == .wait(replacing: nil))
        #expect(queue.receive(message("c", key: "x"), now: .seconds(10)) == .wait(replacing: "a"))
        #expect(queue.pending.map(\.id) == ["b", "c"])
    }

    @Test func theNumberOfWaitingMessagesIsBounded() {
        var queue = exhaustedQueue()
        for number in 0..<20 { _ = queue.receive(message("\(number)", key: "key\(number)"), now: .seconds(10)) }
        #expect(queue.pending.map(\.id) == (12..<20).map { "\($0)" })
        #expect(queue.counters.replaced == 12)
    }

    @Test func aMessageThatWaitsIsNotOvertaken() {
        var queue = exhaustedQueue()
        _ = queue.receive(message("first", key: "x"), now: .seconds(10))
        // A wake is free again, but the older message comes first.
        #expect(queue.receive(message("second", key: "y"), now: .seconds(1300)) == .wait(replacing: nil))
        #expect(queue.takeDue(now: .seconds(1300)).map(\.id) == ["first", "second"])
    }

    @Test func twoHundredIdentifiersAreRemembered() {
        var queue = PushQueue()
        for number in 0..<200 { _ = queue.receive(message("\(number)"), now: .seconds(1)) }
        #expect(queue.receive(message("0"), now: .seconds(2)) == .ignoreDuplicate)
        #expect(queue.receive(message("199"), now: .seconds(2)) == .ignoreDuplicate)
        _ = queue.receive(message("200"), now: .seconds(2))
        #expect(queue.receive(message("0"), now: .seconds(2)) != .ignoreDuplicate)
        #expect(queue.counters.duplicates == 2)
    }

    @Test func aStoredQueueStillKnowsItsIdentifiers() {
        var queue = PushQueue(
            bucket: PushBucket(), pending: [message("p")], recentIDs: ["p", "q"], isForceQuit: false)
        #expect(queue.receive(message("q"), now: .zero) == .ignoreDuplicate)
        #expect(queue.takeDue(now: .zero).map(\.id) == ["p"])
    }

    @Test func aForceQuitProgramIsNotWokenAndKeepsTheNewestMessage() {
        var queue = PushQueue()
        queue.handleForceQuit()
        for number in 0..<5 {
            let decision = queue.receive(message("\(number)", key: "key\(number)"), now: .seconds(number))
            #expect(decision == .wait(replacing: number == 0 ? nil : "\(number - 1)"))
        }
        #expect(queue.nextDelivery(now: .seconds(100_000)) == nil)
        #expect(queue.takeDue(now: .seconds(100_000)).isEmpty && queue.takeForWake().isEmpty)
        #expect(queue.handleForeground().map(\.id) == ["4"])
        queue.handleBackground()
        #expect(!queue.isForceQuit)
        #expect(queue.receive(message("next"), now: .seconds(10)) == .deliver(message("next")))
    }

    @Test func aForceQuitKeepsTheNewestOfTheWaitingMessages() {
        var queue = exhaustedQueue()
        _ = queue.receive(message("a", key: "x"), now: .seconds(10))
        _ = queue.receive(message("b", key: "y"), now: .seconds(10))
        queue.handleForceQuit()
        #expect(queue.pending.map(\.id) == ["b"])
    }

    @Test func aFloodIsRefusedUntilTheMinuteIsOver() {
        var queue = PushQueue()
        var refusals = 0
        for number in 0..<10_000 {
            let decision = queue.receive(message("\(number)"), now: .seconds(60) + .milliseconds(number * 5))
            if case .refuse(let delay) = decision {
                refusals += 1
                #expect(delay > .zero && delay <= .seconds(60))
            }
        }
        #expect(refusals == 10_000 - 600 && queue.counters.refused == refusals && queue.pending.count == 1)
        #expect(queue.receive(message("later"), now: .seconds(121)) == .wait(replacing: "599"))
    }

    @Test func longIdentifiersAreCutBeforeTheyAreCompared() {
        var queue = PushQueue()
        let long = String(repeating: "x", count: 10_000)
        _ = queue.receive(message(long + "a"), now: .zero)
        #expect(queue.receive(message(long + "b"), now: .zero) == .ignoreDuplicate)
    }

    @Test func randomMessagesAreCountedExactly() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<50 {
            var queue = PushQueue()
            var now = Duration.zero
            var deliveredCount = 0
            for number in 0..<200 {
                now += .seconds(Int.random(in: 0...600, using: &generator))
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: deliveredCount += queue.takeDue(now: now).count
                case 1: deliveredCount += queue.takeForWake().count
                case 2:
                    deliveredCount += queue.handleForeground().count
                    queue.handleBackground()
                default:
                    let key = "\(Int.random(in: 0...10, using: &generator))"
                    if case .deliver = queue.receive(message("\(number)", key: key), now: now) { deliveredCount += 1 }
                }
                let counters = queue.counters
                #expect(counters.delivered == deliveredCount)
                #expect(counters.received == counters.delivered + counters.replaced + queue.pending.count)
            }
        }
    }

    private func message(_ id: String, key: String = "") -> PushQueue.Message {
        PushQueue.Message(id: id, payload: payload, collapseKey: key)
    }

    /// Returns a queue whose program was woken three times just now.
    private func exhaustedQueue() -> PushQueue {
        var queue = PushQueue()
        for number in 0..<3 { _ = queue.receive(message("used\(number)"), now: .zero) }
        return queue
    }

    @Test func alertsCountWithoutAWake() {
        var queue = PushQueue()
        let bucket = queue.bucket
        let decisions = [queue.receiveAlert("a", now: .zero), queue.receiveAlert("a", now: .zero)]
        #expect(decisions == [.show, .ignoreDuplicate])
        #expect(queue.bucket == bucket && queue.pending.isEmpty)
        #expect(queue.counters.received == 1 && queue.counters.delivered == 1 && queue.counters.duplicates == 1)
    }
}
