import TestSupport
import Testing

@testable import HTTPTransfer

@Suite struct ByteQueueTests {
    @Test("bytes leave in the order of their arrival, whatever the sizes of the pieces")
    func bytesLeaveInOrder() {
        var random = SeededGenerator.printingSeed()
        var queue = ByteQueue(), sent = 0, taken = 0
        while taken < 2_000_000 {
            if Bool.random(using: &random), sent < 2_000_000 {
                let count = Int.random(in: 0..<100_000, using: &random)
                let piece = (sent..<sent + count).map { UInt8(truncatingIfNeeded: $0 / 251) }
                piece.withUnsafeBytes { queue.append($0) }
                sent += count
            } else {
                let piece = queue.takeFirst(Int.random(in: 1..<100_000, using: &random))
                #expect(piece == (taken..<taken + piece.count).map { UInt8(truncatingIfNeeded: $0 / 251) })
                taken += piece.count
            }
            #expect(queue.count == sent - taken)
        }
    }

    @Test func anEmptyQueueReturnsNoBytes() {
        var queue = ByteQueue()
        #expect(queue.takeFirst(10).isEmpty)
    }
}
