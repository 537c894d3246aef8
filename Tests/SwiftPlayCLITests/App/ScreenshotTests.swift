import Glibc
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct ScreenshotTests {
    private let context = ScreenshotName.Context(location: "/a/film.b.mkv", time: 3723.5)

    @Test(arguments: [
        ("shot%n", "shot0007"), ("%02n", "07"), ("%F-%p", "film.b-01:02:03"), ("%f", "film.b.mkv"),
        ("%P", "01:02:03.500"), ("%x%%", "/a/%"), ("x", "x"),
    ])
    func theTemplateHasMPVsCodes(_ template: String, _ expected: String) throws {
        let name = try #require(ScreenshotName(parsing: template))
        #expect(name.text(context, number: 7) == expected)
        #expect(name.hasNumber == template.contains("n"))
    }

    @Test(arguments: ["%", "%q", "%5f", "", "%123n"]) func anInvalidTemplateIsRefused(_ template: String) {
        #expect(ScreenshotName(parsing: template) == nil)
    }

    @Test func anExistingFileIsNeverReplaced() throws {
        let directory = "/tmp/swiftplay-shot-\(getpid())"
        mkdir(directory, 0o700)
        defer {
            for name in ["1", "2"] { unlink("\(directory)/\(name)") }
            rmdir(directory)
        }
        #expect(try ScreenshotFile.write([1], hasNumber: true) { "\(directory)/\($0)" } == "\(directory)/1")
        #expect(try ScreenshotFile.write([2], hasNumber: true) { "\(directory)/\($0)" } == "\(directory)/2")
        #expect(throws: ScreenshotFile.Failure.self) {
            try ScreenshotFile.write([3], hasNumber: false) { _ in "\(directory)/1" }
        }
        #expect(try ConfigurationFiles.content("\(directory)/1") == "\u{1}")
    }

    @Test func aFullDiskGivesAMessageAndNoFile() {
        do throws(ScreenshotFile.Failure) {
            _ = try ScreenshotFile.write([1], hasNumber: false) { _ in "/proc/no-such" }
            Issue.record("written")
        } catch { #expect(error.message.contains("/proc/no-such")) }
    }
}
