import Foundation

/// A folder for what a test writes; goes with this object.
package final class Scratch {
    package let path: String

    package init() throws(RigError) {
        var template = Array((NSTemporaryDirectory() + "/swiftplay-scratch.XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw RigError("cannot make a directory in \(NSTemporaryDirectory())")
        }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { path + "/" + name }

    package func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}

/// Runs a program of the system to its end; throws with its words when it fails.
@discardableResult
package func run(
    _ program: String, _ arguments: [String], environment: [String: String?] = [:],
    within patience: Duration = .seconds(20)
) throws -> String {
    let child = try ChildProcess(Products.system(program), arguments, environment: environment)
    let status = try child.waitForExit(within: patience)
    guard status.isSuccess else { throw RigError("\(program) \(arguments) \(status): \(child.errors.text)") }
    return child.output.text
}
