import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct ReorderBufferTests {
    /// Adds pictures in decoding order, each with its number in display order. Returns the numbers of the pictures that
    /// the buffer released after each addition.
    private func releasedNumbers(_ numbers: [Int64], delay: Int64) -> [[Int64]] {
        var buffer = ReorderBuffer<Int64>()
        return numbers.enumerated().map { index, number in
            buffer.add(number, time: number + delay, decodingTime: Int64(index))
            return buffer.takeReady()
        }
    }

    @Test("a picture is released when all pictures that are shown before it have arrived")
    func pictureWaitsForEarlierPictures() {
        #expect(releasedNumbers([0, 3, 1, 2, 6, 4, 5], delay: 1) == [[], [0], [], [], [3, 1, 2], [], []])
    }

    @Test func picturesInDisplayOrderDoNotWait() {
        #expect(releasedNumbers([0, 1, 2], delay: 0) == [[0], [1], [2]])
    }

    @Test("a picture without a time is released immediately, together with the waiting pictures")
    func pictureWithoutATimeIsReleased() {
        var buffer = ReorderBuffer<String>()
        buffer.add("first", time: 9, decodingTime: 1)
        #expect(buffer.takeReady().isEmpty)
        buffer.add("second", time: nil, decodingTime: 2)
        #expect(buffer.takeReady() == ["first", "second"])
    }

    @Test("the number of waiting pictures is bounded by the largest reordering of a decoder")
    func numberOfPicturesIsBounded() {
        var buffer = ReorderBuffer<Int>()
        for number in 0..<100 {
            buffer.add(number, time: .max, decodingTime: Int64(number))
            #expect(buffer.takeReady().count == (number < ReorderBuffer<Int>.limit ? 0 : 1))
        }
        #expect(buffer.takeAll().count == ReorderBuffer<Int>.limit)
        #expect(buffer.takeAll().isEmpty)
    }
}
