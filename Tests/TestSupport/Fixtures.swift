import Foundation

/// The media files for tests (test clips) that `scripts/lib/make-fixtures` generates. The script describes each file.
package enum Fixtures {
    /// The directory of the test clips: `SWIFTPLAY_FIXTURES`, or `.build/fixtures` of the package.
    package static var directory: String {
        if let directory = ProcessInfo.processInfo.environment["SWIFTPLAY_FIXTURES"], !directory.isEmpty {
            return directory
        }
        return packageRoot + "/.build/fixtures"
    }

    /// Returns the path of a test clip, such as `count30.mp4`.
    ///
    /// - Throws: ``TestFailure`` if the clip has not been generated.
    package static func path(_ name: String) throws(TestFailure) -> String {
        let path = directory + "/" + name
        guard FileManager.default.fileExists(atPath: path) else {
            throw TestFailure("\(path) is missing: run scripts/test")
        }
        return path
    }

    /// The root directory of the Swift package.
    package static let packageRoot: String = {
        var parts = #filePath.split(separator: "/").map(String.init)
        parts.removeLast(3)
        return "/" + parts.joined(separator: "/")
    }()
}
