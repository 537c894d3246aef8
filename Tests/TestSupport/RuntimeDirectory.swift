import Foundation
import Glibc

/// A private `XDG_RUNTIME_DIR`: programs that are given it meet each other, and the compositor they start, and nobody
/// else.
///
/// When it goes, so does every process that was given it, a compositor that nobody waits for say.
package final class RuntimeDirectory: Sendable {
    package let path: String

    package init() throws(RigError) {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-test.XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw RigError("cannot make a directory in \(NSTemporaryDirectory())")
        }
        path = String(cString: made)
    }

    deinit {
        for process in processes() { kill(process.pid, SIGKILL) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The processes that were given this directory, by program name (`swiftplay-compositor`, …).
    package func processes(named name: String? = nil) -> [(pid: Int32, name: String)] {
        let mark = "\0XDG_RUNTIME_DIR=\(path)\0"
        return ProcessFacts.all.compactMap { pid in
            guard ("\0" + ProcessFacts.read(pid, "environ")).contains(mark) else { return nil }
            let arguments = ProcessFacts.read(pid, "cmdline").split(separator: "\0")
            let program = arguments.first.map { String($0.split(separator: "/").last ?? $0) } ?? ""
            return name == nil || name == program ? (pid, program) : nil
        }
    }
}
