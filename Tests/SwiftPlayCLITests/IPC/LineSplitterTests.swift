import Testing

@testable import SwiftPlayCLI

@Suite struct LineSplitterTests {
    /// Returns the complete lines that the splitter contains.
    private func completeLines(_ splitter: inout LineSplitter) -> [String] {
        var lines: [String] = []
        while let line = splitter.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }

    @Test("A line is not returned before its line feed arrives")
    func anIncompleteLineIsNotReturned() {
        var splitter = LineSplitter(limit: 100)
        #expect(completeLines(&splitter) == [])
        splitter.append(Array("ab".utf8))
        #expect(completeLines(&splitter) == [])
        splitter.append(Array("c\nd".utf8))
        #expect(completeLines(&splitter) == ["abc"])
    }

    @Test("Lines that were not read yet are kept when more bytes arrive")
    func unreadLinesAreKeptWhenMoreBytesArrive() {
        var splitter = LineSplitter(limit: 100)
        splitter.append(Array("one\ntwo\nthr".utf8))
        let firstLine = splitter.nextLine().map { String(decoding: $0, as: UTF8.self) }
        #expect(firstLine == "one")
        splitter.append(Array("ee\n".utf8))
        #expect(completeLines(&splitter) == ["two", "three"])
    }

    @Test("A line of exactly the limit is accepted, with and without its line feed")
    func aLineOfExactlyTheLimitIsAccepted() {
        var splitter = LineSplitter(limit: 4)
        splitter.append(Array("1234".utf8))
        #expect(completeLines(&splitter) == [] && !splitter.isOverlong)
        splitter.append(Array("\n".utf8))
        #expect(completeLines(&splitter) == ["1234"] && !splitter.isOverlong)
    }

    @Test("The limit counts the incomplete line only, not the complete ones before it")
    func theLimitCountsOnlyTheIncompleteLine() {
        var splitter = LineSplitter(limit: 4)
        splitter.append(Array("12\n34\n56\n789".utf8))
        #expect(completeLines(&splitter) == ["12", "34", "56"] && !splitter.isOverlong)
        splitter.append(Array("00".utf8))
        #expect(completeLines(&splitter) == [] && splitter.isOverlong)
    }
}
