import Foundation
import Testing

/// Tests the imports of the sources.
@Suite struct ImportTests {
    @Test("only one file imports Foundation, which would add 40 MB to the programs; others use FoundationEssentials")
    func sourcesImportFoundationEssentials() throws {
        let sources = ProjectPages.root.appendingPathComponent("Sources")
        var importers: [String] = []
        for case let path as String in FileManager.default.enumerator(atPath: sources.path) ?? .init()
        where path.hasSuffix(".swift") {
            let text = try ProjectPages.text("Sources/" + path)
            if text.contains(/(?m)^ *(?:@\w+ |public )*import Foundation$/) { importers.append(path) }
        }
        #expect(importers == ["SwiftPlay/Application/Application+Notifications.swift"])
    }
}
