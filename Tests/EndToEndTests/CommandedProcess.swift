import Foundation
import Glibc
import SystemCalls
import TestSupport

/// A test program that reads commands from a named pipe, one per line (`CommandPipe` in Tests/ProbeSupport). The
/// program is killed when this object is deinitialised.
final class CommandedProcess {
    let child: ChildProcess
    /// The named pipe from which the program reads its commands.
    private let commandPipe: SharedDescriptor

    init(_ name: String, in directory: RuntimeDirectory, environment: [String: String?] = [:]) throws {
        let pipe = directory.path + "/commands-\(UUID().uuidString.prefix(8))"
        try systemCall("mkfifo") { mkfifo(pipe, 0o600) }
        commandPipe = SharedDescriptor(try FileDescriptor(opening: pipe, flags: O_RDWR | O_CLOEXEC))
        child = try ChildProcess(Products.path(name), [pipe], environment: environment, runtimeDirectory: directory)
    }

    /// Sends command lines to the program, and does not wait until the program has executed them.
    func send(_ lines: [String]) throws {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        let count = try systemCall("write") { write(commandPipe.raw, bytes, bytes.count) }
        guard count == bytes.count else { throw TestFailure("the command pipe is full") }
    }

    /// The complete lines that the program has written so far.
    var lines: [Substring] { child.output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
}
