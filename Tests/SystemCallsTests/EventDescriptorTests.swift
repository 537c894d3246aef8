import Glibc
import Testing

@testable import SystemCalls

@Suite struct EventDescriptorTests {
    @Test func oneDrainClearsSeveralEventSignals() throws {
        let event = try EventDescriptor()
        #expect(!event.drain())
        for _ in 0..<3 { event.signal() }
        #expect(event.drain() && !event.drain())
    }

    @Test func signallingAFullEventCounterDoesNotBlock() throws {
        let event = try EventDescriptor()
        var maximumCount = UInt64.max - 1
        #expect(write(event.raw, &maximumCount, 8) == 8)
        event.signal()
        #expect(event.drain() && !event.drain())
    }

    @Test func duplicateDescriptorSignalsTheSameEvent() throws {
        let event = try EventDescriptor()
        let duplicate = try EventDescriptor(received: try FileDescriptor(duplicating: event.raw))
        duplicate.signal()
        #expect(event.drain() && !duplicate.drain())
    }

    @Test func eventDescriptorIsClosedOnExec() throws {
        #expect(fcntl(try EventDescriptor().raw, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func onlyAnEventDescriptorIsAccepted() throws {
        func error(_ descriptor: consuming FileDescriptor) -> SystemCallError? {
            do {
                _ = try EventDescriptor(received: descriptor)
                return nil
            } catch { return error }
        }
        let refusal = SystemCallError(call: "descriptor is not an eventfd", number: EINVAL)
        #expect(error(try FileDescriptor(opening: "/dev/null", flags: O_RDWR)) == refusal)
        #expect(error(try MemoryFile(name: "[eventfd]", size: 1).release()) == refusal)
        let event = try EventDescriptor()
        let duplicate = try FileDescriptor(duplicating: event.raw)
        #expect(error(duplicate) == nil && !event.drain())
    }
}
