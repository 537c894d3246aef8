import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the memory warnings that a compositor process sends to player processes. The compositor reads replaced files
/// about memory instead of the kernel's, because a test must not make the machine short of memory.
@Suite("Memory pressure")
struct MemoryPressureTests {
    /// A temporary folder whose files replace the kernel's files about memory.
    private struct KernelMemoryFiles {
        let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory()
            for name in ["proc/self", "proc/pressure", "cgroup/app"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            try write("0::/app\n", to: "proc/self/cgroup")
            try setAvailable(900)
            try write("80\n", to: "cgroup/app/memory.current")
            try write("1000\n", to: "cgroup/app/memory.high")
            try write("max\n", to: "cgroup/app/memory.max")
            try write("max 0\noom 0\noom_kill 0\n", to: "cgroup/app/memory.events")
        }

        /// Overwrites a file in place instead of replacing it, as the kernel changes its files.
        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }

        /// Sets the available memory, in kB, of a simulated machine with 1000 kB.
        func setAvailable(_ kilobytes: Int) throws {
            try write("MemTotal: 1000 kB\nMemAvailable: \(kilobytes) kB\n", to: "proc/meminfo")
        }
    }

    /// Starts a compositor that reads the replaced files.
    ///
    /// - Parameter settings: The content of `compositor.conf`.
    private func startCompositor(
        _ kernel: KernelMemoryFiles, in directory: RuntimeDirectory, settings: String = ""
    ) throws -> ChildProcess {
        let folder = kernel.folder.file("swiftplay")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try settings.write(toFile: folder + "/compositor.conf", atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            Products.compositor, ["--idle-timeout", "0", "--memory-root", kernel.folder.path],
            environment: ["XDG_CONFIG_HOME": kernel.folder.path], runtimeDirectory: directory)
        let socket = directory.path + "/swiftplay/compositor"
        let isUp = Deadline.poll(for: .seconds(10)) { FileManager.default.fileExists(atPath: socket) ? true : nil }
        guard isUp == true else { throw TestFailure("the compositor opened no socket: \(child.errors.text)") }
        return child
    }

    @Test("every program is warned, also one that starts later, and is notified of the end once")
    func everyProgramIsWarned() async throws {
        try await TestEnvironment.runExclusively {
            let kernel = try KernelMemoryFiles(), directory = try RuntimeDirectory()
            let compositor = try startCompositor(kernel, in: directory)
            func start() throws -> RunningPlayer {
                try RunningPlayer("count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
            }
            let first = try start()
            try first.ipc.waitForProperty("program-role") { $0 == "primary" }
            #expect(try first.ipc.property("memory-pressure") == "normal")
            try kernel.setAvailable(80)
            try first.ipc.waitForProperty("memory-pressure") { $0 == "warning" }
            // The player reports how much memory it has released because of the warning.
            try first.ipc.waitForProperty("program-memory") { $0["last-warning-released"] != nil }
            let second = try start()
            try second.ipc.waitForProperty("memory-pressure") { $0 == "warning" }
            try kernel.setAvailable(900)
            for player in [first, second] {
                try player.ipc.waitForProperty("memory-pressure", within: .seconds(40)) { $0 == "normal" }
            }
            try kernel.write("max 1\noom 0\noom_kill 0\n", to: "cgroup/app/memory.events")
            for player in [first, second] {
                try player.ipc.waitForProperty("memory-pressure") { $0 == "critical" }
                #expect(try player.ipc.property("frame-drop-count") == 0)
                try player.quit()
            }
            compositor.signal(SIGTERM)
            _ = try compositor.waitForExit()
        }
    }

    @Test("after 10 s of critical pressure a program exits on request, and one that does not react is killed")
    func programsAreEnded() async throws {
        try await TestEnvironment.runExclusively {
            for isStopped in [false, true] {
                let kernel = try KernelMemoryFiles(), directory = try RuntimeDirectory()
                let compositor = try startCompositor(kernel, in: directory, settings: "end-programs=yes\n")
                let player = try RunningPlayer(
                    "count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
                try player.ipc.waitForProperty("program-role") { $0 == "primary" }
                if isStopped { player.child.signal(SIGSTOP) }
                // The player's memory budget is 3 % of 1000 kB, which every program exceeds.
                try kernel.setAvailable(10)
                let status = try player.child.waitForExit(within: .seconds(40))
                #expect((status.reason == .killed(signal: SIGKILL)) == isStopped, "\(status)")
                #expect(player.child.errors.text.contains("memory is short") != isStopped)
                #expect(compositor.errors.text.contains("memory is critically short"))
                compositor.signal(SIGTERM)
                _ = try compositor.waitForExit()
            }
        }
    }
}
