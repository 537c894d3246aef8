import SystemCalls
import Testing

@testable import AudioOutput

@Suite struct SampleRingTests {
    @Test func ringAcceptsSamplesThatFitAndReturnsThemInOrder() {
        let ring = SampleRing(channels: 2, lead: 128, retained: 0)
        #expect(ring.capacity == 128)
        let samples = (0..<300).map { Float($0) }
        #expect(samples.withUnsafeBufferPointer { ring.write($0) } == 128)
        #expect(ring.freeFrames == 0)
        #expect(ring.release(upTo: 100, rendered: 100))
        #expect(!ring.release(upTo: 50, rendered: 100))
        #expect(ring.freeFrames == 100)
        #expect(samples.withUnsafeBufferPointer { ring.write($0) } == 100)
        var out = [Float](repeating: -1, count: 2 * 128)
        out.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { ring.copy(from: 100, count: 128, into: base) }
        }
        let expected: [Float] = Array(samples[200..<256]) + Array(samples[0..<200])
        #expect(out == expected)
    }

    @Test func twoThreadsLoseNoSamples() throws {
        let ring = SampleRing(channels: 1, lead: 60, retained: 0)
        let room = try EventDescriptor(), data = try EventDescriptor()
        let total = 200_000
        let writer = try NamedThread("writer") {
            var next = 0
            while next < total {
                let block = (next..<min(next + 37, total)).map { Float($0) }
                let taken = block.withUnsafeBufferPointer { ring.write($0) }
                next += taken
                data.signal()
                if taken == 0 {
                    _ = try? Poll.waitReadable(room.raw, until: MonotonicTime.now + 1_000_000_000)
                    room.drain()
                }
            }
        }
        defer { writer.join() }
        var next = 0, wrong = 0
        var out = [Float](repeating: -1, count: 64)
        let deadline = MonotonicTime.now + 20 * MonotonicTime.nanosecondsPerSecond
        while next < total, MonotonicTime.now < deadline {
            let count = min(ring.writeIndex - next, 53)
            if count == 0 {
                _ = try Poll.waitReadable(data.raw, until: deadline)
                data.drain()
                continue
            }
            out.withUnsafeMutableBufferPointer {
                if let base = $0.baseAddress { ring.copy(from: next, count: count, into: base) }
            }
            for i in 0..<count where out[i] != Float(next + i) { wrong += 1 }
            next += count
            _ = ring.release(upTo: next, rendered: next)
            room.signal()
        }
        #expect(next == total)
        #expect(wrong == 0)
    }

    @Test func writerNeverExceedsItsLeadOverTheReader() {
        let ring = SampleRing(channels: 1, lead: 100, retained: 400)
        #expect(ring.freeFrames == 100)
        let samples = [Float](repeating: 0, count: 200)
        #expect(samples.withUnsafeBufferPointer { ring.write($0) } == 100)
        #expect(ring.release(upTo: 0, rendered: 60))
        #expect(ring.freeFrames == 60)
        // The reader renders the stream again from its start, so the writer must wait.
        #expect(!ring.release(upTo: 0, rendered: 0))
        #expect(ring.freeFrames == 0)
    }
}
