import Foundation
import Glibc
import SystemCalls

/// A simulated ALSA PCM device (`Tests/StandIns/pcm.c`). The device consumes samples in real time, records them and
/// simulates faults on command. Programs that are started with ``environment`` use it as the default device.
package final class AudioDeviceStandIn: Sendable {
    /// The directory through which the test and the ALSA plug-in exchange files: ALSA configuration, command, log and
    /// played samples.
    private let directory: RuntimeDirectory
    /// The environment variables that make the simulated device the default device of a program.
    package let environment: [String: String?]

    package init() throws {
        directory = try RuntimeDirectory()
        let path = directory.path
        let library = try Self.compiledLibraryPath("pcm")
        // ALSA runs `@hooks.1` after the hooks of the system configuration, so the device in `default.conf` replaces
        // the default device of the system.
        try """
        pcm_type.standin { lib "\(library)" }
        pcm.standin { type standin directory "\(path)" }
        pcm.!default { type standin directory "\(path)" }
        """.write(toFile: path + "/default.conf", atomically: false, encoding: .utf8)
        try """
        </usr/share/alsa/alsa.conf>
        @hooks.1 { func load files [ "\(path)/default.conf" ] errors true }
        """.write(toFile: path + "/alsa.conf", atomically: false, encoding: .utf8)
        environment = ["ALSA_CONFIG_PATH": path + "/alsa.conf"]
        try send("ok")
    }

    /// Sets the fault that the device simulates from now on, such as `enodev`; `ok` ends the fault.
    /// `Tests/StandIns/pcm.c` lists the commands.
    package func send(_ command: String) throws {
        // Overwrite the command file instead of replacing it, because the simulated device keeps the old file open.
        let file = try FileDescriptor(opening: directory.path + "/command", flags: O_RDWR | O_CREAT, mode: 0o600)
        let text = Array(command.utf8) + [UInt8](repeating: 0, count: max(0, 63 - command.utf8.count))
        try systemCall("pwrite") { pwrite(file.raw, text, text.count, 0) }
    }

    /// A line in the log of the simulated device: a call of an ALSA function, or a property of the device.
    package struct LogEntry: Sendable, Equatable {
        /// The host time at which the device wrote the log entry, in nanoseconds.
        package let time: Int64
        /// The kind of the log entry, such as `open`, `start` or `xrun`. `Tests/StandIns/pcm.c` contains all kinds: the
        /// arguments of its function `note`.
        package let kind: String
        /// A value that depends on ``kind``, such as the buffer size in frames for `buffer`.
        package let value: Int
    }

    /// The log entries that the simulated device has written so far, oldest first.
    package var log: [LogEntry] {
        let text = (try? String(contentsOfFile: directory.path + "/log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 3, let time = Int64(fields[0]), let value = Int(fields[2]) else { return nil }
            return LogEntry(time: time, kind: String(fields[1]), value: value)
        }
    }

    /// Returns the number of log entries with this ``LogEntry/kind``.
    package func logEntryCount(ofKind kind: String) -> Int { log.count { $0.kind == kind } }

    /// Waits until `condition` returns true for the log of the simulated device.
    ///
    /// - Parameter expectedEvent: the expected event, for the error message.
    /// - Throws: ``TestFailure`` with the last log entries if `condition` returns false until `timeout` has passed.
    package func wait(
        within timeout: Duration = .seconds(15), _ expectedEvent: String, _ condition: ([LogEntry]) -> Bool
    ) throws(TestFailure) {
        let isFulfilled = Deadline.poll(for: timeout, every: .milliseconds(10)) { condition(log) ? true : nil }
        if isFulfilled == nil {
            throw TestFailure(
                "\(expectedEvent) did not happen; the calls were \(log.suffix(20).map { "\($0.kind) \($0.value)" })")
        }
    }

    /// The number of stereo frames that the simulated device has played so far.
    package var playedFrameCount: Int {
        var status = stat()
        return stat(directory.path + "/heard", &status) == 0 ? Int(status.st_size) / 8 : 0
    }

    /// The samples that the simulated device has played so far, in stereo, without the time in which the device was
    /// stopped.
    package var recording: AudioRecording {
        let bytes = FileManager.default.contents(atPath: directory.path + "/heard") ?? Data()
        let floats = bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
        func samplesOfChannel(_ firstIndex: Int) -> [Float] {
            stride(from: firstIndex, to: floats.count / 2 * 2, by: 2).map { floats[$0] }
        }
        return AudioRecording(samples: samplesOfChannel(0), right: samplesOfChannel(1))
    }

    /// Compiles the library `Tests/StandIns/NAME.c` if it has changed since the last compilation, and returns the path
    /// of the shared library.
    ///
    /// - Throws: ``TestFailure`` with the output of the compiler if it fails.
    package static func compiledLibraryPath(_ name: String) throws -> String {
        let source = Fixtures.packageRoot + "/Tests/StandIns/\(name).c"
        let folder = Fixtures.directory + "/stand-ins", library = folder + "/\(name).so"
        func modificationDate(_ path: String) -> Date? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
        if let libraryDate = modificationDate(library), let sourceDate = modificationDate(source),
            libraryDate > sourceDate
        {
            return library
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let compiler = try (try? Products.systemProgram("clang")) ?? Products.systemProgram("cc")
        let newLibrary = library + ".\(getpid())"
        let child = try ChildProcess(
            compiler, ["-O1", "-Wall", "-shared", "-fPIC", "-DPIC", "-o", newLibrary, source, "-lasound"])
        guard try child.waitForExit(within: .seconds(60)).isSuccess else {
            throw TestFailure("\(source): \(child.errors.text)")
        }
        guard rename(newLibrary, library) == 0 else { throw SystemCallError(call: "rename", number: errno) }
        return library
    }
}
