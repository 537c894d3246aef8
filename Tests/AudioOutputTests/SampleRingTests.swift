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
        var output = [Float](repeating: -1, count: 2 * 128)
        output.withUnsafeMutableBufferPointer {
            if let base = $0.baseAddress { ring.copy(from: 100, count: 128, into: base) }
        }
        let expected: [Float] = Array(samples[200..<256]) + Array(samples[0..<200])
        #expect(output == expected)
    }

    @Test func twoThreadsLoseNoSamples() throws {
        let ring = SampleRing(channels: 1, lead: 60, retained: 0)
        let spaceEvent = try EventDescriptor(), dataEvent = try EventDescriptor()
        let totalFrameCount = 200_000
        let writer = try NamedThread("writer") {
            var nextFrame = 0
            while nextFrame < totalFrameCount {
                let block = (nextFrame..<min(nextFrame + 37, totalFrameCount)).map { Float($0) }
                let acceptedFrames = block.withUnsafeBufferPointer { ring.write($0) }
                nextFrame += acceptedFrames
                dataEvent.signal()
                if acceptedFrames == 0 {
                    _ = try? Poll.waitReadable(spaceEvent.raw, until: MonotonicTime.now + 1_000_000_000)
                    spaceEvent.drain()
                }
            }
        }
        defer { writer.join() }
        var nextFrame = 0, wrongSampleCount = 0
        var output = [Float](repeating: -1, count: 64)
        let deadline = MonotonicTime.now + 20 * MonotonicTime.nanosecondsPerSecond
        while nextFrame < totalFrameCount, MonotonicTime.now < deadline {
            let count = min(ring.writeIndex - nextFrame, 53)
            if count == 0 {
                _ = try Poll.waitReadable(dataEvent.raw, until: deadline)
                dataEvent.drain()
                continue
            }
            output.withUnsafeMutableBufferPointer {
                if let base = $0.baseAddress { ring.copy(from: nextFrame, count: count, into: base) }
            }
            for i in 0..<count where output[i] != Float(nextFrame + i) { wrongSampleCount += 1 }
            nextFrame += count
            _ = ring.release(upTo: nextFrame, rendered: nextFrame)
            spaceEvent.signal()
        }
        #expect(nextFrame == totalFrameCount)
        #expect(wrongSampleCount == 0)
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

    @Test func writerIsWokenWhenAQuarterIsFree() {
        let ring = SampleRing(channels: 1, lead: 100, retained: 0)
        let samples = [Float](repeating: 0, count: 100)
        #expect(samples.withUnsafeBufferPointer { ring.write($0) } == 100)
        #expect(!ring.release(upTo: 24, rendered: 24))
        #expect(ring.release(upTo: 25, rendered: 25))
        #expect(ring.release(upTo: 26, rendered: 26), "a writer may have found less room since")
    }

    @Test("the capacity is the next power of two, and at least 64 frames")
    func capacityIsAPowerOfTwo() {
        for (lead, retained, capacity) in [(1, 0, 64), (64, 0, 64), (64, 1, 128), (1000, 24, 1024), (1000, 25, 2048)] {
            let ring = SampleRing(channels: 1, lead: lead, retained: retained)
            #expect(ring.capacity == capacity && ring.freeFrames == lead)
        }
    }

    @Test("the frames that were not rendered remain for the next renderer, also across the end of the memory")
    func remainingSamplesAreThoseNotRendered() {
        let ring = SampleRing(channels: 2, lead: 64, retained: 0)
        #expect(ring.remainingSamples.isEmpty)
        for round in 0..<5 {
            let samples = (0..<80).map { Float(round * 80 + $0) }
            let count = samples.withUnsafeBufferPointer { ring.write($0) }
            #expect(count == 40 && ring.writeIndex == (round + 1) * 40)
            _ = ring.release(upTo: round * 40 + 10, rendered: round * 40 + 10)
            #expect(ring.remainingSamples == Array(samples.dropFirst(20)))
            _ = ring.release(upTo: ring.writeIndex, rendered: ring.writeIndex)
            #expect(ring.remainingSamples.isEmpty && ring.oldestIndex == ring.writeIndex)
        }
    }

    @Test("an incomplete frame at the end of the samples is not written")
    func incompleteFramesAreNotWritten() {
        let ring = SampleRing(channels: 6, lead: 64, retained: 0)
        for (sampleCount, frames) in [(0, 0), (5, 0), (6, 1), (11, 1), (13, 2)] {
            let count = [Float](repeating: 1, count: sampleCount).withUnsafeBufferPointer { ring.write($0) }
            #expect(count == frames)
        }
    }
}
