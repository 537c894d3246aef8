import Foundation

/// Access to the package's files for the tests of its pages.
enum ProjectPages {
    /// The folder of the package.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the text of a file; the path is relative to ``root``.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The paths of all pages that describe the architecture.
    static func architecturePages() throws -> [String] {
        let fileNames = try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("docs").path)
        return ["ARCHITECTURE.md"] + fileNames.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
    }

    /// The names of all types that the sources declare.
    static func declaredTypes() throws -> Set<String> {
        let declaration = /\b(?:class|struct|enum|protocol|actor|typealias)\s+([A-Z][A-Za-z0-9]*)/
        var typeNames: Set<String> = []
        let sources = root.appendingPathComponent("Sources")
        for case let path as String in FileManager.default.enumerator(atPath: sources.path) ?? .init()
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            for match in text.matches(of: declaration) { typeNames.insert(String(match.1)) }
        }
        return typeNames
    }
}
