import SystemCalls
import Testing

@testable import AudioOutput

@Suite struct SeqlockTests {
    private func store(_ values: [UInt64], in lock: Seqlock) { values.withUnsafeBufferPointer { lock.store($0) } }

    private func load(_ count: Int, from lock: Seqlock, initially value: UInt64 = 99) -> [UInt64] {
        var values = [UInt64](repeating: value, count: count)
        values.withUnsafeMutableBufferPointer { lock.load(into: $0) }
        return values
    }

    @Test("All words are 0 before the first write")
    func allWordsAreZeroBeforeTheFirstWrite() {
        #expect(load(3, from: Seqlock(count: 3)) == [0, 0, 0])
    }

    @Test("A write replaces all words, with every bit")
    func writeReplacesAllBitsOfAllWords() {
        let lock = Seqlock(count: 3)
        store([1, 2, 3], in: lock)
        store([.max, 0, 1 << 63], in: lock)
        #expect(load(3, from: lock) == [.max, 0, 1 << 63])
    }

    @Test("A short write keeps the other words, and a long one is cut off")
    func shortWriteKeepsOtherWordsAndLongWriteIsCutOff() {
        let lock = Seqlock(count: 3)
        store([1, 2, 3], in: lock)
        store([7], in: lock)
        #expect(load(3, from: lock) == [7, 2, 3])
        store([4, 5, 6, 7, 8], in: lock)
        #expect(load(3, from: lock) == [4, 5, 6])
    }

    @Test("A read is limited by the number of stored words and by the size of the buffer")
    func readIsLimitedByTheStoredWordsAndTheBuffer() {
        let lock = Seqlock(count: 2)
        store([1, 2], in: lock)
        #expect(load(4, from: lock) == [1, 2, 99, 99])
        #expect(load(1, from: lock) == [1])
    }

    /// The test stores so many words that a read and a write overlap nearly always.
    @Test("A reader never receives words of two writes, or an older write than before")
    func readerNeverReceivesWordsOfTwoWritesOrAnOlderWrite() throws {
        let count = 512
        let lock = Seqlock(count: count)
        let lastNumber: UInt64 = 10_000
        let writer = try NamedThread("seqlock writer") {
            for number in 1...lastNumber {
                let values = [UInt64](repeating: number, count: count)
                values.withUnsafeBufferPointer { lock.store($0) }
            }
        }
        var newestNumber: UInt64 = 0, tornReadCount = 0, outdatedReadCount = 0
        while newestNumber < lastNumber {
            let values = load(count, from: lock)
            if values[0] != values[count - 1] { tornReadCount += 1 }
            if values[0] < newestNumber { outdatedReadCount += 1 }
            newestNumber = max(newestNumber, values[0])
        }
        writer.join()
        #expect(tornReadCount == 0 && outdatedReadCount == 0)
    }
}
