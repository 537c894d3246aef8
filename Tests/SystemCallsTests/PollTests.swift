import Glibc
import Testing

@testable import SystemCalls

@Suite struct PollTests {
    @Test func pollReportsOnlyReadyDescriptors() throws {
        let unsignalledEvent = try EventDescriptor(), signalledEvent = try EventDescriptor()
        signalledEvent.signal()
        var entries = [
            Poll.Entry(unsignalledEvent.raw), Poll.Entry(signalledEvent.raw),
            Poll.Entry(unsignalledEvent.raw, .writable),
        ]
        #expect(try Poll.wait(&entries, until: nil))
        #expect(entries.map(\.ready) == [[], .readable, .writable])
    }

    @Test func pollLastsUntilTheDeadline() throws {
        let event = try EventDescriptor()
        var entries = [Poll.Entry(event.raw)]
        entries[0].ready = .readable
        #expect(try !Poll.wait(&entries, until: 0))
        #expect(entries[0].ready == [], "an earlier result is cleared")
        let deadline = MonotonicTime.now + 5_000_000
        #expect(try !Poll.waitReadable(event.raw, until: deadline))
        #expect(MonotonicTime.now >= deadline)
        var noEntries: [Poll.Entry] = []
        #expect(try !Poll.wait(&noEntries, until: 0))
    }

    @Test func aClosedPeerAndAnInvalidDescriptorAreReported() throws {
        var pipeEnds: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&pipeEnds) }
        let readingEnd = FileDescriptor(owning: pipeEnds[0])
        close(pipeEnds[1])
        var entries = [Poll.Entry(readingEnd.raw), Poll.Entry(1_000_000)]
        #expect(try Poll.wait(&entries, until: nil))
        #expect(entries.map(\.ready) == [.hungUp, .invalid])
    }

    @Test func eventSignalFromAnotherThreadEndsThePoll() throws {
        let event = try EventDescriptor()
        let thread = try NamedThread("signaller") { event.signal() }
        #expect(try Poll.waitReadable(event.raw, until: nil))
        thread.join()
    }
}
