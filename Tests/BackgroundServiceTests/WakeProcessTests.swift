import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

@Suite struct WakeProcessTests {
    /// Starts a shell that leads a group of its own and prints the process ID of a child; both ignore SIGTERM.
    private func startGroup() throws -> (leader: Int32, child: Int32) {
        let script = "trap '' TERM; sleep 1000 & echo $!; while :; do wait; sleep 1; done"
        var ends: [Int32] = [0, 0]
        try systemCall("pipe") { pipe(&ends) }
        let reading = FileDescriptor(owning: ends[0]), writing = FileDescriptor(owning: ends[1])
        let leader = try ChildProgram.start(
            "/bin/sh", ["-c", script], steps: [.copy(writing.raw, as: 1)], descriptorCount: 3, hasOwnSession: true)
        var bytes = [UInt8](repeating: 0, count: 20)
        guard try Poll.waitReadable(reading.raw, until: Deadline.after(.seconds(10))) else {
            throw TestFailure("the shell does not start")
        }
        let count = read(reading.raw, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return (leader, try #require(Int32(text.prefix { $0.isNumber })))
    }

    /// Waits until a process has ended. It counts as ended as a zombie too: its parent may never read its exit status.
    private func hasEnded(_ process: Int32) -> Bool {
        Deadline.poll(for: .seconds(10)) { ProcessState.isStoppedOrExited(process) ? true : nil } == true
    }

    @Test func aSignalReachesTheChildrenOfAStartedProcess() throws {
        let (leader, child) = try startGroup()
        let process = try ServiceProcess(leader)
        process.sendToGroup(signal: SIGTERM)
        #expect(!ProcessState.isStoppedOrExited(leader))
        process.sendToGroup(signal: SIGKILL)
        #expect(hasEnded(leader) && hasEnded(child))
        collect(process)
        #expect(process.hasExited && process.exitCPUTime == process.cpuTime)
    }

    @Test func aSignalReachesTheChildrenOfAProcessThatConnectsAgain() throws {
        let (leader, child) = try startGroup()
        try #require(ConnectedProcess(leader)).sendToGroup(signal: SIGKILL)
        #expect(hasEnded(leader) && hasEnded(child))
        waitpid(leader, nil, 0)
        #expect(ConnectedProcess(leader) == nil)
    }

    @Test("the children of a process that was terminated are killed when it has exited")
    func childrenDoNotOutliveATerminatedProcess() throws {
        let (leader, child) = try startGroup()
        let process = try ServiceProcess(leader)
        process.killsGroupAtExit = true
        kill(leader, SIGKILL)
        collect(process)
        #expect(process.hasExited && hasEnded(child))
    }

    /// Lets a process collect the exit status, as the event loop does.
    private func collect(_ process: ServiceProcess) {
        var entries = process.entries
        _ = try? Poll.wait(&entries, until: Deadline.after(.seconds(10)))
        process.process(entries[...], now: 0)
    }
}
