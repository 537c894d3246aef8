import Foundation
import TestSupport

/// A temporary folder with simulated copies of the kernel's files about memory, which a compositor reads in place of
/// the kernel's own files.
struct KernelMemoryFiles {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        for name in ["proc/self", "proc/pressure", "cgroup/app"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
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

    /// Starts a compositor that reads the simulated files.
    ///
    /// - Parameters:
    ///   - settings: The content of `compositor.conf`.
    ///   - environment: Additional environment variables.
    func startCompositor(
        in directory: RuntimeDirectory, settings: String = "", environment: [String: String?] = [:]
    ) throws -> ChildProcess {
        let settingsFolder = folder.file("swiftplay")
        try FileManager.default.createDirectory(atPath: settingsFolder, withIntermediateDirectories: true)
        try settings.write(toFile: settingsFolder + "/compositor.conf", atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            Products.compositorPath, ["--idle-timeout", "0", "--memory-root", folder.path],
            environment: environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 }, runtimeDirectory: directory)
        try directory.connectToCompositor(child)
        return child
    }
}
