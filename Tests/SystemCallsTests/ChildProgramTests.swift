import Glibc
import SystemCalls
import Testing

@Suite struct ChildProgramTests {
    /// A deadline that is never reached.
    private let deadline = MonotonicTime.now + 60_000_000_000

    @Test func theStatusOfAnEndedProgramIsReturnedOnce() throws {
        let process = try ChildProgram.start("/bin/sh", ["-c", "exit 3"], steps: [], descriptorCount: 3)
        #expect(ChildProgram.waitForExit(of: process, until: deadline) == 3 << 8)
        #expect(ChildProgram.waitForExit(of: process, until: deadline) == nil)
    }

    @Test func aRunningProgramIsNotWaitedForBeyondTheDeadline() throws {
        let process = try ChildProgram.start("sleep", ["60"], steps: [], descriptorCount: 3, searchesPath: true)
        #expect(ChildProgram.waitForExit(of: process, until: MonotonicTime.now) == nil)
        kill(process, SIGKILL)
        #expect(ChildProgram.waitForExit(of: process, until: deadline) == SIGKILL)
    }

    @Test func theProgramHasOnlyThePreparedDescriptors() throws {
        // The shell reads its own descriptors with a command that is built in.
        let script = "[ -e /proc/$$/fd/3 ] && [ ! -e /proc/$$/fd/4 ] && [ ! -e /proc/$$/fd/9 ]"
        let file = try FileDescriptor(opening: "/dev/null", flags: O_RDONLY)
        let process = try ChildProgram.start(
            "/bin/sh", ["-c", script],
            steps: [.open(path: "/dev/null", flags: O_RDWR, as: 9), .copy(file.raw, as: 3)], descriptorCount: 4)
        #expect(ChildProgram.waitForExit(of: process, until: deadline) == 0)
    }

    @Test(arguments: [true, false])
    func aSessionOfItsOwnIsCreatedOnRequest(hasOwnSession: Bool) throws {
        let process = try ChildProgram.start(
            "/bin/sleep", ["60"], steps: [], descriptorCount: 3, hasOwnSession: hasOwnSession)
        #expect((getsid(process) == process) == hasOwnSession)
        kill(process, SIGKILL)
        #expect(ChildProgram.waitForExit(of: process, until: deadline) == SIGKILL)
    }

    @Test func theProgramIsEndedByABrokenPipe() throws {
        let action = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, action) }
        let process = try ChildProgram.start("/bin/sh", ["-c", "kill -PIPE $$"], steps: [], descriptorCount: 3)
        #expect(ChildProgram.waitForExit(of: process, until: deadline) == SIGPIPE)
    }

    @Test func aMissingProgramIsAnError() {
        #expect { try ChildProgram.start("/no/such/program", [], steps: [], descriptorCount: 3) } throws: {
            ($0 as? SystemCallError)?.number == ENOENT
        }
        // Without a search in `PATH`, a name is a path in the working folder.
        #expect(throws: SystemCallError.self) { try ChildProgram.start("sleep", [], steps: [], descriptorCount: 3) }
    }
}
