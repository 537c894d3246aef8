import TestSupport
import Testing

@testable import HTTPTransfer

@Suite struct ByteQueueTests {
    @Test("bytes are removed in the order of their arrival, whatever the sizes of the appended and removed pieces")
    func bytesAreRemovedInTheOrderOfTheirArrival() {
        var random = SeededGenerator.printingSeed()
        var queue = ByteQueue(), appendedCount = 0, removedCount = 0
        while removedCount < 2_000_000 {
            if Bool.random(using: &random), appendedCount < 2_000_000 {
                let count = Int.random(in: 0..<100_000, using: &random)
                let piece = (appendedCount..<appendedCount + count).map { UInt8(truncatingIfNeeded: $0 / 251) }
                piece.withUnsafeBytes { queue.append($0) }
                appendedCount += count
            } else {
                let piece = queue.takeFirst(Int.random(in: 1..<100_000, using: &random))
                let expected = (removedCount..<removedCount + piece.count).map { UInt8(truncatingIfNeeded: $0 / 251) }
                #expect(piece == expected)
                removedCount += piece.count
            }
            #expect(queue.count == appendedCount - removedCount)
        }
    }

    @Test func emptyQueueReturnsNoBytes() {
        var queue = ByteQueue()
        #expect(queue.takeFirst(10).isEmpty)
    }

    @Test func removedBytesNeverSpanTwoParts() {
        var queue = ByteQueue()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        bytes.withUnsafeBytes { queue.append($0) }
        #expect(queue.takeFirst(1000).count == 1000)
        #expect(queue.takeFirst(.max).count == 65_536 - 1000)
        #expect(queue.takeFirst(0).isEmpty && queue.count == 200_000 - 65_536)
        #expect(queue.takeFirst(.max).count == 65_536)
    }
}
