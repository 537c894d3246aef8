import Testing
import TransferPolicy

@testable import TransferEngine

@Suite struct ReplyHeadParserTests {
    /// Returns the results of lines, which end with CRLF.
    private func read(_ lines: String...) -> [ReplyHeadParser.Line] {
        var parser = ReplyHeadParser()
        return lines.map { line in Array((line + "\r\n").utf8).withUnsafeBytes { parser.read($0) } }
    }

    @Test func aHeadEndsWithAnEmptyLine() {
        #expect(
            read("HTTP/1.1 200 OK", "ETag: \"a\"", "")
                == [.more, .more, .head(status: 200, fields: [.init("etag", "\"a\"")])])
    }

    @Test func theReasonMayBeAbsent() {
        #expect(read("HTTP/2 404", "").last == .head(status: 404, fields: []))
    }

    @Test func interimHeadsAreForgotten() {
        #expect(
            read("HTTP/1.1 103 Early", "ETag: \"x\"", "", "HTTP/1.1 200 OK", "").last
                == .head(status: 200, fields: []))
    }

    @Test func trailersAreIgnored() {
        #expect(read("HTTP/1.1 200 OK", "", "X: y", "").suffix(2) == [.more, .more])
    }

    @Test func valuesLoseSurroundingSpaces() {
        #expect(read("HTTP/1.1 200 OK", "A: \t b c \t", "").last == .head(status: 200, fields: [.init("a", "b c")]))
    }

    @Test func linesWithoutAColonAreIgnored() {
        #expect(read("HTTP/1.1 200 OK", "nonsense", "").last == .head(status: 200, fields: []))
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 99 x", "HTTP/1.1 1000 x", "HTTP/1.1 -200 x"])
    func malformedStatusLinesAreRefused(_ line: String) { #expect(read(line) == [.malformed]) }

    @Test func aLongHeadIsRefused() {
        var parser = ReplyHeadParser()
        let line = [UInt8](repeating: 65, count: 1000)
        let results = (0..<66).map { _ in line.withUnsafeBytes { parser.read($0) } }
        #expect(results[64] == .more && results[65] == .malformed)
    }

    @Test func theNumberOfFieldsIsLimited() {
        var parser = ReplyHeadParser()
        func read(_ line: String) -> ReplyHeadParser.Line {
            Array((line + "\r\n").utf8).withUnsafeBytes { parser.read($0) }
        }
        _ = read("HTTP/1.1 200 OK")
        for _ in 0..<300 { _ = read("a: b") }
        guard case .head(200, let fields) = read("") else {
            Issue.record("the head is not accepted")
            return
        }
        #expect(fields.count == 256)
    }
}
