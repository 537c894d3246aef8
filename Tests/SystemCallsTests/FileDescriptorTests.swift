import Glibc
import Testing

@testable import SystemCalls

@Suite struct FileDescriptorTests {
    /// Returns both ends of a pipe. The reading end shows whether the writing end is still open.
    private func pipeEnds() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        return (ends[0], ends[1])
    }

    /// Returns whether the writing end of the pipe is closed. A check of its descriptor number would be unreliable,
    /// because other tests may reuse the number.
    private func isClosed(_ reading: borrowing FileDescriptor) throws -> Bool {
        var entries = [Poll.Entry(reading.raw)]
        return try Poll.wait(&entries, until: 0) && entries[0].ready.contains(.hungUp)
    }

    /// Runs `body` while a ``FileDescriptor`` owns the descriptor `raw`, and then closes the descriptor.
    private func runWithOwner(of raw: Int32, _ body: () throws -> Void) rethrows {
        let owner = FileDescriptor(owning: raw)
        try body()
        _ = owner.raw
    }

    @Test func descriptorIsClosedWithItsOwner() throws {
        let ends = try pipeEnds()
        let reading = FileDescriptor(owning: ends.reading)
        try runWithOwner(of: ends.writing) { () throws in #expect(try !isClosed(reading)) }
        #expect(try isClosed(reading))
    }

    @Test func duplicateDescriptorStaysOpenWithoutTheOriginal() throws {
        let ends = try pipeEnds()
        let reading = FileDescriptor(owning: ends.reading)
        do {
            let copy = SharedDescriptor(try FileDescriptor(duplicating: ends.writing))
            runWithOwner(of: ends.writing) {}
            #expect(try !isClosed(reading))
            #expect(fcntl(copy.raw, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(try isClosed(reading))
    }

    @Test func descriptorReleasedByItsOwnerStaysOpen() throws {
        let ends = try pipeEnds()
        let reading = FileDescriptor(owning: ends.reading)
        let number = FileDescriptor(owning: ends.writing).release()
        #expect(try number == ends.writing && !isClosed(reading))
        close(number)
        #expect(try isClosed(reading))
    }

    @Test func nonBlockingModeIsSetAndCleared() throws {
        let ends = try pipeEnds()
        let reading = FileDescriptor(owning: ends.reading), writing = FileDescriptor(owning: ends.writing)
        try reading.setNonBlocking(true)
        #expect(fcntl(reading.raw, F_GETFL) & O_NONBLOCK != 0)
        try reading.setNonBlocking(false)
        #expect(fcntl(reading.raw, F_GETFL) & O_NONBLOCK == 0 && writing.raw >= 0)
    }

    @Test func openingAMissingPathThrowsItsErrno() {
        #expect(throws: SystemCallError(call: "open", number: ENOENT)) {
            _ = try FileDescriptor(opening: "/nowhere/at/all", flags: O_RDONLY)
        }
    }
}
