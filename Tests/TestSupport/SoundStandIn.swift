import Foundation
import Glibc
import SystemCalls

/// A sound device that is none (`Tests/StandIns/pcm.c`): it keeps time, remembers what would have been heard, and
/// misbehaves on command. A program that is given its ``environment`` has it as ALSA's default device.
package final class SoundStandIn: Sendable {
    private let directory: RuntimeDirectory
    package let environment: [String: String?]

    package init() throws {
        directory = try RuntimeDirectory()
        let path = directory.path
        let library = try Self.library("pcm")
        // After the system's own configuration, and what that loads by itself.
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
        try say("ok")
    }

    /// What goes wrong from now on; `ok`: nothing.
    package func say(_ command: String) throws {
        // The device has the file open: another one in its place would not be seen.
        let file = try FileDescriptor(opening: directory.path + "/command", flags: O_RDWR | O_CREAT, mode: 0o600)
        let text = Array(command.utf8) + [UInt8](repeating: 0, count: max(0, 63 - command.utf8.count))
        try systemCall("pwrite") { pwrite(file.raw, text, text.count, 0) }
    }

    /// A call of the device.
    package struct Entry: Sendable, Equatable {
        package let time: Int64
        package let word: String
        package let number: Int
    }

    /// What was asked of it so far.
    package var log: [Entry] {
        let text = (try? String(contentsOfFile: directory.path + "/log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 3, let time = Int64(fields[0]), let number = Int(fields[2]) else { return nil }
            return Entry(time: time, word: String(fields[1]), number: number)
        }
    }

    package func count(_ word: String) -> Int { log.count { $0.word == word } }

    /// Waits until the log passes `test`.
    package func wait(within patience: Duration = .seconds(15), _ what: String, _ test: ([Entry]) -> Bool)
        throws(RigError)
    {
        let seen = Deadline.poll(for: patience, every: .milliseconds(10)) { test(log) ? true : nil }
        if seen == nil {
            throw RigError("\(what) does not come; the device saw \(log.suffix(20).map { "\($0.word) \($0.number)" })")
        }
    }

    /// How many frames were heard so far, of two channels.
    package var framesHeard: Int {
        var status = stat()
        return stat(directory.path + "/heard", &status) == 0 ? Int(status.st_size) / 8 : 0
    }

    /// What was heard so far, of two channels: without the times at which it did not run.
    package var heard: SoundRecording {
        let bytes = FileManager.default.contents(atPath: directory.path + "/heard") ?? Data()
        let floats = bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
        func channel(_ offset: Int) -> [Float] {
            stride(from: offset, to: floats.count / 2 * 2, by: 2).map { floats[$0] }
        }
        return SoundRecording(samples: channel(0), right: channel(1))
    }

    /// Compiles one of `Tests/StandIns`, if it is not there yet.
    package static func library(_ name: String) throws -> String {
        let source = Fixtures.packageRoot + "/Tests/StandIns/\(name).c"
        let folder = Fixtures.directory + "/stand-ins", library = folder + "/\(name).so"
        func age(_ path: String) -> Date? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
        if let made = age(library), let written = age(source), made > written { return library }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let compiler = try (try? Products.system("clang")) ?? Products.system("cc")
        let fresh = library + ".\(getpid())"
        let child = try ChildProcess(
            compiler, ["-O1", "-Wall", "-shared", "-fPIC", "-DPIC", "-o", fresh, source, "-lasound"])
        guard try child.waitForExit(within: .seconds(60)).isSuccess else {
            throw RigError("\(source): \(child.errors.text)")
        }
        guard rename(fresh, library) == 0 else { throw SystemCallError(call: "rename", number: errno) }
        return library
    }
}
