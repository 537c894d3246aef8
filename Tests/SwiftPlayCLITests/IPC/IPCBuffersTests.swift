import Testing

@testable import SwiftPlayCLI

@Suite struct IPCBuffersTests {
    @Test(arguments: [1, 2, 3, 7, 100])
    func theChunkSizeDoesNotChangeTheLines(_ step: Int) {
        var lines = LineSplitter(limit: 10)
        let bytes = Array("one\n\ntwo\r\nthree\nrest".utf8)
        var found: [String] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            lines.append(bytes[start..<min(start + step, bytes.count)])
            while let line = lines.next() { found.append(String(decoding: line, as: UTF8.self)) }
        }
        #expect(found == ["one", "", "two\r", "three"])
        #expect(!lines.isOverlong)
        lines.append(Array("1234567".utf8))
        #expect(lines.next() == nil)
        #expect(lines.isOverlong)
    }

    @Test func outputIsSentCompletelyInSeveralPieces() {
        var output = OutputBuffer()
        let all = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        output.append { $0 += all[..<20] }
        var got: [UInt8] = []
        for amount in [3, 0, 9, 1, 2] {
            output.drain { bytes in
                got += bytes.prefix(amount)
                return amount
            }
        }
        #expect(output.count == 5)
        output.append { $0 += all[20...] }
        output.drain { bytes in
            got += bytes
            return bytes.count
        }
        #expect(got == all)
        #expect(output.isEmpty)
    }
}
