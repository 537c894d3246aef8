import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct BoundedQueueTests {
    @Test func popReturnsElementsInOrderAndReducesTheCost() {
        let queue = BoundedQueue<Int>(limit: 10)
        for n in 1...4 { #expect(queue.push(n, cost: n, generation: 0)) }
        #expect(queue.cost == 10 && queue.count == 4 && queue.first == 1)
        #expect((1...4).map { _ in queue.pop() } == [1, 2, 3, 4])
        #expect(queue.cost == 0 && queue.popIfAny() == nil)
    }

    @Test func emptyQueueAcceptsAnElementAboveTheLimit() {
        let queue = BoundedQueue<Int>(limit: 10)
        #expect(queue.push(1, cost: 100, generation: 0))
        #expect(queue.pop() == 1)
    }

    @Test func popReturnsAtOnceWhenTheDeadlineHasPassed() {
        #expect(BoundedQueue<Int>(limit: 1).pop(until: 0) == nil)
    }

    @Test func queueRefusesElementsOfOtherGenerations() {
        let queue = BoundedQueue<Int>(limit: 10)
        _ = queue.push(1, cost: 1, generation: 0)
        queue.reset(to: 2)
        #expect(queue.count == 0 && queue.cost == 0)
        #expect(!queue.push(2, cost: 1, generation: 0) && !queue.pushWithoutWaiting(2, cost: 1, generation: 1))
        #expect(queue.push(3, cost: 1, generation: 2) && queue.pop() == 3)
    }

    @Test func closingEmptiesTheQueueAndRefusesNewElements() {
        let queue = BoundedQueue<Int>(limit: 10)
        _ = queue.push(1, cost: 1, generation: 0)
        queue.close()
        #expect(queue.pop() == nil && queue.popIfAny() == nil && queue.cost == 0)
        #expect(!queue.push(2, cost: 1, generation: 0) && !queue.pushWithoutWaiting(2, cost: 1, generation: 0))
    }

    @Test func pushWithoutWaitingIgnoresTheLimit() {
        let queue = BoundedQueue<Int>(limit: 1)
        for n in 0..<5 { #expect(queue.pushWithoutWaiting(n, cost: 1, generation: 0)) }
        #expect(queue.count == 5)
    }

    @Test func onlyAPushToAnEmptyQueueIsSignalled() throws {
        let event = try EventDescriptor()
        let queue = BoundedQueue<Int>(limit: 5, arrival: event)
        _ = queue.push(1, cost: 1, generation: 0)
        #expect(event.drain() && !event.drain())
        _ = queue.push(2, cost: 1, generation: 0)
        _ = queue.pushWithoutWaiting(3, cost: 1, generation: 0)
        #expect(!event.drain(), "a push to a queue with elements sends no signal")
        #expect(queue.popIfAny() == 1 && queue.pop() == 2 && queue.popIfAny() == 3)
        _ = queue.pushWithoutWaiting(4, cost: 1, generation: 0)
        #expect(event.drain())
        queue.reset(to: 1)
        _ = queue.pushWithoutWaiting(5, cost: 1, generation: 0)
        #expect(!event.drain(), "a refused element sends no signal")
        _ = queue.push(6, cost: 1, generation: 1)
        #expect(event.drain() && queue.count == 1)
    }

    /// Pushes an element to a full queue on another thread. Calls `release` once that thread sleeps in the push, and
    /// returns whether the queue accepted the element.
    private func blockedPush(_ queue: BoundedQueue<Int>, release: () -> Void) throws -> Bool {
        let result = Monitor<Bool?>(nil), state = Monitor<ThreadState?>(nil)
        let thread = try NamedThread("pusher") {
            state.update { $0 = try? ThreadState.current }
            let isAccepted = queue.push(2, cost: 1, generation: 0)
            result.update { $0 = isAccepted }
        }
        let pushingThreadState = try #require(state.wait(until: Deadline.after(.seconds(10))) { $0 } as ThreadState?)
        let isBlocked = Deadline.poll(for: .seconds(10)) {
            pushingThreadState.isSleeping && result.withLock { $0 } == nil ? true : nil
        }
        #expect(isBlocked == true, "the push to a full queue returned at once")
        release()
        thread.join()
        let isAccepted = result.withLock { $0 }
        return try #require(isAccepted as Bool?, "the push did not return")
    }

    @Test func aBlockedPushContinuesAfterAPop() throws {
        let queue = BoundedQueue<Int>(limit: 1)
        _ = queue.push(1, cost: 1, generation: 0)
        #expect(try blockedPush(queue) { _ = queue.pop() })
        #expect(queue.pop() == 2)
    }

    @Test func aBlockedPushContinuesWhenTheLimitGrows() throws {
        let queue = BoundedQueue<Int>(limit: 1)
        _ = queue.push(1, cost: 1, generation: 0)
        #expect(try blockedPush(queue) { queue.setLimit(2) })
        #expect(queue.limit == 2 && queue.count == 2)
    }

    @Test func resetAndCloseMakeABlockedPushFail() throws {
        for refuse in [{ $0.reset(to: 1) }, { $0.close() }] as [(BoundedQueue<Int>) -> Void] {
            let queue = BoundedQueue<Int>(limit: 1)
            _ = queue.push(1, cost: 1, generation: 0)
            #expect(!(try blockedPush(queue) { refuse(queue) }))
            #expect(queue.count == 0)
        }
    }

    @Test func pushAndCloseWakeABlockedPop() throws {
        for (wake, expected) in [({ _ = $0.push(7, cost: 1, generation: 0) }, 7), ({ $0.close() }, nil)]
            as [((BoundedQueue<Int>) -> Void, Int?)]
        {
            let queue = BoundedQueue<Int>(limit: 1)
            let result = Monitor<Int?>(0)
            let thread = try NamedThread("popper") {
                let element = queue.pop()
                result.update { $0 = element }
            }
            wake(queue)
            thread.join()
            #expect(result.withLock { $0 } == expected)
        }
    }

    @Test func twoThreadsExchangeAllElementsInOrder() throws {
        let queue = BoundedQueue<Int>(limit: 3)
        let thread = try NamedThread("pusher") { for n in 0..<5000 { _ = queue.push(n, cost: 1, generation: 0) } }
        var isOrdered = true
        for n in 0..<5000 {
            isOrdered = isOrdered && queue.count <= 3
            isOrdered = queue.pop() == n && isOrdered
        }
        thread.join()
        #expect(isOrdered)
    }
}
