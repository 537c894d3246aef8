import Logging
import TestSupport
import Testing

@testable import BackgroundService

@Suite struct ActivationFileTests {
    private let scratch: TemporaryDirectory
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws { scratch = try TemporaryDirectory() }

    private func file(in folder: String) -> ActivationFile {
        ActivationFile(directory: scratch.file(folder), program: "/usr/bin/service", logger: logger)
    }

    @Test func theFileIsWrittenAndRemoved() throws {
        let file = file(in: "data/dbus-1/services")
        #expect(file.write())
        let text = try scratch.text("data/dbus-1/services/org.swiftplay.Background.service")
        #expect(text == "[D-BUS Service]\nName=org.swiftplay.Background\nExec='/usr/bin/service' --detach\n")
        file.remove()
        #expect((try? scratch.text("data/dbus-1/services/org.swiftplay.Background.service")) == nil)
        file.remove()
    }

    @Test func aFolderThatCannotBeCreatedIsReported() throws {
        try "text".write(toFile: scratch.file("data"), atomically: false, encoding: .utf8)
        #expect(!file(in: "data/services").write())
    }

    @Test func aPathWithAQuotationMarkIsQuoted() {
        #expect(ActivationFile.content(program: "/a'b").contains("\nExec='/a'\\''b' --detach\n"))
    }
}
