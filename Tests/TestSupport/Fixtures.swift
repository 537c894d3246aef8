import Foundation

/// The clips `scripts/make-fixtures` makes: what each of them is, its script says.
package enum Fixtures {
    /// Where they are: `SWIFTPLAY_FIXTURES`, or `.build/fixtures` of the package.
    package static var directory: String {
        if let directory = ProcessInfo.processInfo.environment["SWIFTPLAY_FIXTURES"], !directory.isEmpty {
            return directory
        }
        return packageRoot + "/.build/fixtures"
    }

    /// The path of one clip, `count30.mp4` say.
    ///
    /// - Throws: ``RigError`` when it has not been made.
    package static func path(_ name: String) throws(RigError) -> String {
        let path = directory + "/" + name
        guard FileManager.default.fileExists(atPath: path) else {
            throw RigError("\(path) is missing: run scripts/test")
        }
        return path
    }

    /// The package's own folder.
    package static let packageRoot: String = {
        var parts = #filePath.split(separator: "/").map(String.init)
        parts.removeLast(3)
        return "/" + parts.joined(separator: "/")
    }()
}
