import Foundation
import Logging
import Testing

@testable import Compositor

@Suite struct SettingsFileTests {
    /// The temporary directory of the settings file.
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "settings-\(UUID().uuidString)")

    @Test func changedFileIsReadAgain() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("compositor.conf")
        let file = SettingsFile(path: path.path, logger: Logger(label: "test"))
        #expect(file.settings == CompositorSettings() && file.descriptor != nil)
        // Replace the file atomically, as editors do.
        try Data("pip-windows=2\n".utf8).write(to: path, options: .atomic)
        let isChanged = file.refresh(), isChangedAgain = file.refresh()
        #expect(isChanged && !isChangedAgain && file.settings.maximumWindowCount == 2)
        try FileManager.default.removeItem(at: path)
        let isChangedByRemoval = file.refresh()
        #expect(isChangedByRemoval && file.settings == CompositorSettings())
    }

    @Test func missingDirectoryIsNotWatched() {
        let file = SettingsFile(
            path: directory.appendingPathComponent("compositor.conf").path, logger: Logger(label: "test"))
        #expect(file.descriptor == nil && !file.refresh())
    }

    @Test("a directory is watched once a refresh finds it, also after it was removed")
    func createdDirectoryIsWatched() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("compositor.conf")
        let file = SettingsFile(path: path.path, logger: Logger(label: "test"))
        for _ in 0..<2 {
            #expect(file.descriptor == nil)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("pip-windows=2\n".utf8).write(to: path)
            let isChanged = file.refresh()
            #expect(isChanged && file.settings.maximumWindowCount == 2 && file.descriptor != nil)
            try FileManager.default.removeItem(at: directory)
            let isChangedByRemoval = file.refresh()
            #expect(isChangedByRemoval && file.settings == CompositorSettings())
        }
    }
}
