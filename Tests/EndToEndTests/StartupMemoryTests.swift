import SystemCalls
import TestSupport
import Testing

/// Tests that the processes release the code that only their start needs.
@Suite("Memory of the start")
struct StartupMemoryTests {
    /// Returns a figure of `/proc/PID/status`, in kB.
    private func figure(_ name: String, of process: ProcessHandle) -> Int? {
        let line = process.text(of: "status")?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace)[1]) }
    }

    @Test("some seconds after the start, player and compositor have less memory than during the start")
    func processesReleaseTheCodeOfTheStart() async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer("count30.mp4", options: ["--loop-file"])
            for processID in [try player.compositorPID(), player.child.pid] {
                let process = try ProcessHandle(processID)
                var current = 0, highest = 0
                let isReleased = Deadline.poll(for: .seconds(15)) { () -> Bool? in
                    (current, highest) = (figure("VmRSS", of: process) ?? 0, figure("VmHWM", of: process) ?? 0)
                    return current > 0 && current * 10 < highest * 9 ? true : nil
                }
                #expect(isReleased == true, "process \(processID): \(current) kB, at most \(highest) kB")
            }
            try player.quit()
        }
    }
}
