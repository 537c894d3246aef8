import Foundation

/// The programs the tests run, as they were built beside the tests.
package enum Products {
    package static var swiftplay: String { get throws(RigError) { try path("swiftplay") } }
    package static var compositor: String { get throws(RigError) { try path("swiftplay-compositor") } }

    /// The path of a program the package builds.
    package static func path(_ name: String) throws(RigError) -> String {
        let path = directory + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw RigError("\(path) is not built: run scripts/test")
        }
        return path
    }

    /// A program of the system, such as `ffmpeg`.
    package static func system(_ name: String) throws(RigError) -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
            return "\(folder)/\(name)"
        }
        throw RigError("\(name) is missing: run scripts/test")
    }

    /// Where SwiftPM put what it built: the folder of the running test bundle.
    private static var directory: String {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = running.split(separator: "/").dropLast().joined(separator: "/")
        if FileManager.default.isExecutableFile(atPath: "/\(folder)/swiftplay") { return "/" + folder }
        return Fixtures.packageRoot + "/.build/debug"
    }
}
