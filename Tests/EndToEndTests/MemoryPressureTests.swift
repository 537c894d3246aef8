import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the memory warnings that a compositor process sends to player processes. The compositor reads simulated files
/// in place of the kernel's files about memory, because a test must not make the machine short of memory.
@Suite("Memory pressure")
struct MemoryPressureTests {
    /// A temporary folder with simulated copies of the kernel's files about memory.
    private struct KernelMemoryFiles {
        let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory()
            for name in ["proc/self", "proc/pressure", "cgroup/app"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name), withIntermediateDirectories: true)
            }
            try write("0::/app\n", to: "proc/self/cgroup")
            try setAvailableMemory(900)
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
        func setAvailableMemory(_ kilobytes: Int) throws {
            try write("MemTotal: 1000 kB\nMemAvailable: \(kilobytes) kB\n", to: "proc/meminfo")
        }
    }

    /// Starts a compositor that reads the simulated files.
    ///
    /// - Parameter settings: The content of `compositor.conf`.
    private func startCompositor(
        _ memoryFiles: KernelMemoryFiles, in directory: RuntimeDirectory, settings: String = ""
    ) throws -> ChildProcess {
        let folder = memoryFiles.folder.file("swiftplay")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try settings.write(toFile: folder + "/compositor.conf", atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            Products.compositorPath, ["--idle-timeout", "0", "--memory-root", memoryFiles.folder.path],
            environment: ["XDG_CONFIG_HOME": memoryFiles.folder.path], runtimeDirectory: directory)
        let socket = directory.path + "/swiftplay/compositor"
        let hasSocket = Deadline.poll(for: .seconds(10)) { FileManager.default.fileExists(atPath: socket) ? true : nil }
        guard hasSocket == true else { throw TestFailure("the compositor opened no socket: \(child.errors.text)") }
        return child
    }

    @Test("every program is warned, also one that starts later, and is notified of the end once")
    func everyProgramReceivesMemoryWarnings() async throws {
        try await TestEnvironment.runExclusively {
            let memoryFiles = try KernelMemoryFiles(), directory = try RuntimeDirectory()
            let compositor = try startCompositor(memoryFiles, in: directory)
            func startPlayer() throws -> RunningPlayer {
                try RunningPlayer("count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
            }
            let firstPlayer = try startPlayer()
            try firstPlayer.ipc.waitForProperty("program-role") { $0 == "primary" }
            #expect(try firstPlayer.ipc.property("memory-pressure") == "normal")
            try memoryFiles.setAvailableMemory(80)
            try firstPlayer.ipc.waitForProperty("memory-pressure") { $0 == "warning" }
            // The player reports how much memory it has released because of the warning.
            try firstPlayer.ipc.waitForProperty("program-memory") { $0["last-warning-released"] != nil }
            let secondPlayer = try startPlayer()
            try secondPlayer.ipc.waitForProperty("memory-pressure") { $0 == "warning" }
            try memoryFiles.setAvailableMemory(900)
            for player in [firstPlayer, secondPlayer] {
                try player.ipc.waitForProperty("memory-pressure", within: .seconds(40)) { $0 == "normal" }
            }
            try memoryFiles.write("max 1\noom 0\noom_kill 0\n", to: "cgroup/app/memory.events")
            for player in [firstPlayer, secondPlayer] {
                try player.ipc.waitForProperty("memory-pressure") { $0 == "critical" }
                #expect(try player.ipc.property("frame-drop-count") == 0)
                try player.quit()
            }
            compositor.signal(SIGTERM)
            _ = try compositor.waitForExit()
        }
    }

    @Test("after 10 s of critical pressure a program exits on request, and one that does not react is killed")
    func programExitsOrIsKilledAfterCriticalPressure() async throws {
        try await TestEnvironment.runExclusively {
            for isStopped in [false, true] {
                let memoryFiles = try KernelMemoryFiles(), directory = try RuntimeDirectory()
                let compositor = try startCompositor(memoryFiles, in: directory, settings: "end-programs=yes\n")
                let player = try RunningPlayer(
                    "count30.mp4", options: ["--loop-file", "--geometry=480x270"], directory: directory)
                try player.ipc.waitForProperty("program-role") { $0 == "primary" }
                if isStopped { player.child.signal(SIGSTOP) }
                // The player's memory budget is 3 % of 1000 kB, which every program exceeds.
                try memoryFiles.setAvailableMemory(10)
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
