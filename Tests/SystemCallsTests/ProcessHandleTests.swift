import Glibc
import TestSupport
import Testing

@testable import SystemCalls

@Suite struct ProcessHandleTests {
    @Test("a handle reads, writes and signals a running process, and fails after the process has ended")
    func handleFailsAfterItsProcessHasEnded() throws {
        let child = try ChildProcess("/bin/sleep", ["100"])
        let handle = try ProcessHandle(child.pid)
        #expect(handle.isRunning)
        #expect(handle.text(of: "status")?.contains("Pid:\t\(child.pid)\n") == true)
        try handle.write("7", to: "oom_score_adj")
        #expect(handle.text(of: "oom_score_adj") == "7\n")
        try handle.send(signal: SIGKILL)
        handle.releaseMemoryOfKilledProcess()
        try child.waitForExit()
        #expect(!handle.isRunning && handle.text(of: "status") == nil)
        #expect(throws: SystemCallError.self) { try handle.send(signal: 0) }
        #expect(throws: SystemCallError.self) { try handle.write("8", to: "oom_score_adj") }
        #expect(throws: SystemCallError.self) { try ProcessHandle(child.pid) }
    }

    @Test func processIsIdentifiedByItsSocket() throws {
        var socketNumbers: [Int32] = [-1, -1]
        try systemCall("socketpair") { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &socketNumbers) }
        let firstSocket = FileDescriptor(owning: socketNumbers[0]),
            secondSocket = FileDescriptor(owning: socketNumbers[1])
        let handle = try ProcessHandle(getpid(), connectedTo: firstSocket.raw)
        #expect(handle.isRunning && handle.processID == getpid())
        #expect(secondSocket.raw >= 0)
    }

    @Test("the dirty memory of this process grows by the size of an allocation")
    func dirtyMemoryGrowsWithAllocations() throws {
        let memoryBefore = try #require(ProcessMemory.current)
        let bytes = [UInt8](repeating: 1, count: 32 << 20)
        let memoryAfter = try #require(ProcessMemory.current)
        #expect(
            (24 << 20...40 << 20).contains(memoryAfter.dirty - memoryBefore.dirty), "\(memoryBefore) \(memoryAfter)")
        #expect(bytes[1 << 20] == 1 && memoryAfter.clean > 0)
    }

    @Test(
        "missing or malformed memory sizes are rejected",
        arguments: [
            "", "Pss_Anon: 1 kB\nPss_File: 1 kB", "Pss_Anon: 1 kB\nPss_Shmem: x kB\nPss_File: 1 kB",
            "Pss_Anon: -1 kB\nPss_Shmem: 1 kB\nPss_File: 1 kB",
            "Pss_Anon: 9223372036854775807 kB\nPss_Shmem: 1 kB\nPss_File: 1 kB",
        ])
    func malformedMemorySizesAreRejected(text: String) {
        #expect(ProcessMemory(parsing: text) == nil)
    }

    @Test func memorySizesAreConvertedToBytes() {
        #expect(
            ProcessMemory(parsing: "Rss: 9 kB\nPss_Anon:      3 kB\nPss_File:   5 kB\nPss_Shmem:  4 kB\n")
                == ProcessMemory(dirty: 7 << 10, clean: 5 << 10))
    }

    @Test func theSumOfMemorySizesMustNotOverflow() {
        let largestSize = Int.max / 1024
        let text = "Pss_Anon: \(largestSize) kB\nPss_Shmem: \(largestSize) kB\nPss_File: 1 kB"
        #expect(ProcessMemory(parsing: text) == nil)
    }

    @Test func aMissingFileOfAProcessHasNoTextAndCannotBeWritten() throws {
        let handle = try ProcessHandle(getpid())
        #expect(handle.text(of: "no-such-file") == nil)
        #expect(throws: SystemCallError(call: "openat", number: ENOENT)) { try handle.write("1", to: "no-such-file") }
    }
}
