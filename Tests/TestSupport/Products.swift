import Foundation

/// The paths of the programs that the tests run: executables that the package builds, and system programs.
package enum Products {
    package static var swiftplayPath: String { get throws(TestFailure) { try path("swiftplay") } }
    package static var compositorPath: String { get throws(TestFailure) { try path("swiftplay-compositor") } }

    /// Returns the path of an executable that the package builds, such as `swiftplay-compositor`.
    ///
    /// - Throws: ``TestFailure`` if the program has not been built.
    package static func path(_ name: String) throws(TestFailure) -> String {
        let path = directory + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw TestFailure("\(path) is not built: run scripts/test")
        }
        return path
    }

    /// Returns the path of a system program, such as `ffmpeg`.
    ///
    /// - Throws: ``TestFailure`` if the program is not in `PATH`.
    package static func systemProgram(_ name: String) throws(TestFailure) -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
            return "\(folder)/\(name)"
        }
        throw TestFailure("\(name) is missing: run scripts/test")
    }

    /// The build directory of SwiftPM, which contains the running tests and the built executables.
    private static var directory: String {
        let testExecutable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = testExecutable.split(separator: "/").dropLast().joined(separator: "/")
        if FileManager.default.isExecutableFile(atPath: "/\(folder)/swiftplay") { return "/" + folder }
        return Fixtures.packageRoot + "/.build/debug"
    }
}
