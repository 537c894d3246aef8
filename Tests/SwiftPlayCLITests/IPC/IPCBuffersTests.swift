import Testing

@testable import SwiftPlayCLI

@Suite struct IPCBuffersTests {
    @Test(arguments: [1, 2, 3, 7, 100])
    func theChunkSizeDoesNotChangeTheLines(_ chunkSize: Int) {
        var splitter = LineSplitter(limit: 10)
        let bytes = Array("one\n\ntwo\r\nthree\nrest".utf8)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: chunkSize) {
            splitter.append(bytes[start..<min(start + chunkSize, bytes.count)])
            while let line = splitter.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        #expect(lines == ["one", "", "two\r", "three"])
        #expect(!splitter.isOverlong)
        splitter.append(Array("1234567".utf8))
        #expect(splitter.nextLine() == nil)
        #expect(splitter.isOverlong)
    }

    @Test func outputIsSentCompletelyInSeveralPieces() {
        var output = OutputBuffer()
        let text = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        output.append { $0 += text[..<20] }
        var sentBytes: [UInt8] = []
        for acceptedCount in [3, 0, 9, 1, 2] {
            output.drain { bytes in
                sentBytes += bytes.prefix(acceptedCount)
                return acceptedCount
            }
        }
        #expect(output.count == 5)
        output.append { $0 += text[20...] }
        output.drain { bytes in
            sentBytes += bytes
            return bytes.count
        }
        #expect(sentBytes == text)
        #expect(output.isEmpty)
    }
}
