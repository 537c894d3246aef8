import Foundation
import Glibc

/// A private `XDG_RUNTIME_DIR`. The programs that use the directory share one compositor and are isolated from all
/// other programs.
///
/// Deinitialisation kills every process that has this directory in its environment, including compositors that detached
/// from their parents.
package final class RuntimeDirectory: Sendable {
    package let path: String

    package init() throws(TestFailure) {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-test.XXXXXX").utf8CString)
        guard let directoryPath = mkdtemp(&template) else {
            throw TestFailure("cannot make a directory in \(NSTemporaryDirectory())")
        }
        path = String(cString: directoryPath)
    }

    deinit {
        // A service may start another process before it is killed.
        for _ in 0..<100 {
            let remaining = processes()
            if remaining.isEmpty { break }
            for process in remaining { kill(process.pid, SIGKILL) }
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the processes in whose environment `XDG_RUNTIME_DIR` is this directory.
    ///
    /// - Parameter name: the name of the executable file, such as `swiftplay-compositor`; nil selects all programs.
    package func processes(named name: String? = nil) -> [(pid: Int32, name: String)] {
        let variable = "\0XDG_RUNTIME_DIR=\(path)\0"
        return ProcessFiles.processIdentifiers.compactMap { pid in
            guard ("\0" + ProcessFiles.read(pid, "environ")).contains(variable) else { return nil }
            let arguments = ProcessFiles.read(pid, "cmdline").split(separator: "\0")
            let program = arguments.first.map { String($0.split(separator: "/").last ?? $0) } ?? ""
            return name == nil || name == program ? (pid, program) : nil
        }
    }
}
