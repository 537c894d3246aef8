import Foundation

/// A temporary directory of a test. The directory is removed when this object is deinitialised.
package final class TemporaryDirectory {
    package let path: String

    package init() throws(TestFailure) {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-scratch.XXXXXX").utf8CString)
        guard let directoryPath = mkdtemp(&template) else {
            throw TestFailure("cannot make a directory in \(NSTemporaryDirectory())")
        }
        path = String(cString: directoryPath)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of the file `name` in the temporary directory.
    package func file(_ name: String) -> String { path + "/" + name }

    /// Returns the content of the file `name` in the temporary directory.
    package func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}

/// Runs a system program and returns its standard output.
///
/// - Throws: ``TestFailure`` with the error output if the program fails or does not exit within `timeout`.
@discardableResult
package func run(
    _ program: String, _ arguments: [String], environment: [String: String?] = [:],
    within timeout: Duration = .seconds(20)
) throws -> String {
    let child = try ChildProcess(Products.systemProgram(program), arguments, environment: environment)
    let status = try child.waitForExit(within: timeout)
    guard status.isSuccess else { throw TestFailure("\(program) \(arguments) \(status): \(child.errors.text)") }
    return child.output.text
}
