import Foundation
import Glibc
import SystemCalls
import TestSupport

/// A program of the tests' own that does what it is told line by line (Tests/ProbeSupport). It dies with this object.
final class CommandedProcess {
    let child: ChildProcess
    private let commands: SharedDescriptor

    init(_ name: String, in directory: RuntimeDirectory, environment: [String: String?] = [:]) throws {
        let pipe = directory.path + "/commands-\(UUID().uuidString.prefix(8))"
        try systemCall("mkfifo") { mkfifo(pipe, 0o600) }
        commands = SharedDescriptor(try FileDescriptor(opening: pipe, flags: O_RDWR | O_CLOEXEC))
        child = try ChildProcess(Products.path(name), [pipe], environment: environment, runtimeDirectory: directory)
    }

    /// Does not wait for it to be done.
    func tell(_ lines: [String]) throws {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        let count = try systemCall("write") { write(commands.raw, bytes, bytes.count) }
        guard count == bytes.count else { throw RigError("the pipe of commands is full") }
    }

    /// What it has written, but for the last line, which may still be on its way.
    var lines: [Substring] { child.output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
}
