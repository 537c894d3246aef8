import Glibc
import Testing

@testable import SystemCalls

@Suite struct FileDescriptorTests {
    /// Returns both ends of a pipe. The reading end shows whether the writing end is still open.
    private func pipeEnds() throws -> (readingEnd: Int32, writingEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        return (ends[0], ends[1])
    }

    /// Returns whether the writing end of the pipe is closed. A check of its descriptor number would be unreliable,
    /// because other tests may reuse the number.
    private func isClosed(_ readingEnd: borrowing FileDescriptor) throws -> Bool {
        var entries = [Poll.Entry(readingEnd.raw)]
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
        let readingEnd = FileDescriptor(owning: ends.readingEnd)
        try runWithOwner(of: ends.writingEnd) { () throws in #expect(try !isClosed(readingEnd)) }
        #expect(try isClosed(readingEnd))
    }

    @Test func duplicateDescriptorStaysOpenWithoutTheOriginal() throws {
        let ends = try pipeEnds()
        let readingEnd = FileDescriptor(owning: ends.readingEnd)
        do {
            let duplicate = SharedDescriptor(try FileDescriptor(duplicating: ends.writingEnd))
            runWithOwner(of: ends.writingEnd) {}
            #expect(try !isClosed(readingEnd))
            #expect(fcntl(duplicate.raw, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(try isClosed(readingEnd))
    }

    @Test func descriptorReleasedByItsOwnerStaysOpen() throws {
        let ends = try pipeEnds()
        let readingEnd = FileDescriptor(owning: ends.readingEnd)
        let releasedNumber = FileDescriptor(owning: ends.writingEnd).release()
        #expect(try releasedNumber == ends.writingEnd && !isClosed(readingEnd))
        close(releasedNumber)
        #expect(try isClosed(readingEnd))
    }

    @Test func nonBlockingModeIsSetAndCleared() throws {
        let ends = try pipeEnds()
        let readingEnd = FileDescriptor(owning: ends.readingEnd), writingEnd = FileDescriptor(owning: ends.writingEnd)
        try readingEnd.setNonBlocking(true)
        #expect(fcntl(readingEnd.raw, F_GETFL) & O_NONBLOCK != 0)
        try readingEnd.setNonBlocking(false)
        #expect(fcntl(readingEnd.raw, F_GETFL) & O_NONBLOCK == 0 && writingEnd.raw >= 0)
    }

    @Test func openingAMissingPathThrowsItsErrno() {
        #expect(throws: SystemCallError(call: "open", number: ENOENT)) {
            _ = try FileDescriptor(opening: "/nowhere/at/all", flags: O_RDONLY)
        }
    }
}
