import ArgumentParser
import Testing

@testable import SwiftPlayCLI

/// Tests the layout of the texts above the options in `--help`. ArgumentParser wraps each line at the width of the
/// terminal, or at 80 columns without a terminal, and does not indent the rest of the line.
@Suite struct HelpTextTests {
    /// The texts of all commands.
    private static let discussions: [String] = [
        PlayOptions.configuration.discussion, SystemCommand.configuration.discussion,
        DownloadCommand.configuration.discussion, TransfersCommand.configuration.discussion,
        OverviewCommand.configuration.discussion, BackgroundCommand.configuration.discussion,
        PushCommand.configuration.discussion,
    ]

    /// Returns the lines of a text, including empty ones.
    private func lines(of text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// Returns whether a line belongs to a paragraph. The lines of tables are indented.
    private func isParagraph(_ line: Substring) -> Bool { !line.isEmpty && !line.hasPrefix(" ") }

    @Test func linesOfTablesFitInto80Columns() {
        let tableLines = Self.discussions.flatMap { lines(of: $0) }.filter { $0.hasPrefix(" ") }
        #expect(!tableLines.isEmpty)
        for line in tableLines { #expect(line.count <= 78, "\(line)") }
    }

    @Test func eachParagraphIsOneLine() {
        for text in Self.discussions {
            let lines = lines(of: text)
            for (line, next) in zip(lines, lines.dropFirst()) {
                #expect(!isParagraph(line) || !isParagraph(next), "\(line)")
            }
        }
    }
}
