import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayCLI

/// Tests the file of `--log-file`.
@Suite struct FileLogHandlerTests {
    @Test func aMessageIsOneLineWithoutControlCharacters() throws {
        let directory = try TemporaryDirectory(), path = directory.file("log"), file = try LogFile(path: path)
        file.write("[player] warning: title\n[player] error: forged \u{1b}[2J\u{9b}1m")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("][player] warning: title [player] error: forged [2J1m") == true, "\(lines)")
    }

    @Test func anExistingFileIsEmptied() throws {
        let directory = try TemporaryDirectory(), path = directory.file("log")
        try Data("old".utf8).write(to: URL(filePath: path))
        try LogFile(path: path).write("[x] new")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("old") && text.hasSuffix("][x] new\n"))
    }

    @Test func aFIFOWithoutAReaderIsRefusedAtOnce() throws {
        let directory = try TemporaryDirectory(), path = directory.file("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        #expect { _ = try LogFile(path: path) } throws: { ($0 as? SystemCallError)?.number == ENXIO }
    }
}
