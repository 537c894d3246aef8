import SystemCalls
import Testing

@Suite struct EpollTests {
    @Test func readyDescriptorsAreReturned() throws {
        let epoll = try Epoll()
        let (first, second) = (try EventDescriptor(), try EventDescriptor())
        try epoll.set(first.raw, .readable)
        try epoll.set(second.raw, .readable)
        second.signal()
        let ready = try epoll.wait(until: nil)
        #expect(ready.map(\.descriptor) == [second.raw] && ready[0].events.contains(.readable))
    }

    @Test func theWaitEndsAtItsDeadline() throws {
        let epoll = try Epoll()
        let deadline = MonotonicTime.now + 2_000_000
        #expect(try epoll.wait(until: deadline).isEmpty)
        #expect(MonotonicTime.now >= deadline)
    }

    @Test func changedEventsReplaceTheOldOnes() throws {
        let epoll = try Epoll()
        let event = try EventDescriptor()
        try epoll.set(event.raw, .readable)
        try epoll.set(event.raw, .writable)
        #expect(try epoll.wait(until: nil).map(\.events) == [.writable])
    }

    @Test func removedDescriptorsAreNotReturned() throws {
        let epoll = try Epoll()
        let event = try EventDescriptor()
        try epoll.set(event.raw, .writable)
        epoll.remove(event.raw)
        epoll.remove(event.raw)
        #expect(try epoll.wait(until: 0).isEmpty)
    }

    @Test func aClosedDescriptorIsRefused() throws {
        let epoll = try Epoll()
        #expect(throws: SystemCallError.self) { try epoll.set(-1, .readable) }
    }
}
