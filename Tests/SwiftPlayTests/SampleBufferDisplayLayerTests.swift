import SharedFrames
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct SampleBufferDisplayLayerTests {
    private let layer: SampleBufferDisplayLayer
    private let pool: PixelBufferPool
    /// The timebase of the layer.
    private let clock = Timebase()
    private let output = TestOutput()

    init() throws {
        layer = try SampleBufferDisplayLayer()
        pool = try PixelBufferPool(width: 16, height: 16, pixelFormat: .gray)
        layer.controlTimebase = clock
        layer.router.setOutput(output)
    }

    /// Enqueues one picture for each of the given presentation times, in seconds.
    private func enqueue(_ seconds: Int64..., immediately: Bool = false) throws {
        for second in seconds {
            layer.enqueue(
                try pool.makeBuffer().finished(presentationTime: MediaTime(value: second, timescale: 1)),
                immediately: immediately)
        }
    }

    /// The presentation time of the current picture, in seconds; nil if there is no picture.
    private var currentPictureSecond: Int64? { layer.router.currentFrame.map { $0.presentationTime / 1_000_000_000 } }

    /// Waits until the layer shows the picture whose presentation time is `second` seconds; for nil, until it
    /// shows no picture.
    private func waitUntilPictureIsCurrent(_ second: Int64?) throws {
        if Deadline.poll(for: .seconds(10), { currentPictureSecond == second ? true : nil }) == nil {
            throw TestFailure("the current picture is \(currentPictureSecond ?? -1), not \(second ?? -1)")
        }
    }

    /// Waits until the layer reports that it is ready for display, shortly after its first picture.
    private func waitUntilReadyForDisplay() throws {
        if Deadline.poll(for: .seconds(10), { layer.isReadyForDisplay ? true : nil }) == nil {
            throw TestFailure("the layer is not ready for display")
        }
    }

    @Test func picturesAreShownAtTheirTimesAndLatePicturesAreDropped() throws {
        #expect(layer.status == .unknown && !layer.isReadyForDisplay)
        try enqueue(1, 2, 3, 7)
        #expect(currentPictureSecond == nil)
        clock.time = MediaTime(value: 1, timescale: 1)
        try waitUntilPictureIsCurrent(1)
        // Wait until the picture of 1 s is drawn, because a newer picture would replace it.
        #expect(layer.router.waitUntilIdle(until: Deadline.after(.seconds(10))))
        clock.time = MediaTime(value: 5, timescale: 1)
        try waitUntilPictureIsCurrent(3)
        try waitUntilReadyForDisplay()
        #expect(layer.status == .rendering)
        #expect(layer.router.waitUntilIdle(until: Deadline.after(.seconds(10))))
        let presentCalls = output.takeCalls().filter { if case .present = $0 { true } else { false } }
        #expect(presentCalls.count == 2, "\(presentCalls)")
        clock.set(rate: 10, time: MediaTime(value: 6, timescale: 1))
        try waitUntilPictureIsCurrent(7)
    }

    @Test func samePictureCanBeShownImmediatelyTwice() throws {
        let picture = try pool.makeBuffer().finished(presentationTime: MediaTime(value: 9, timescale: 1))
        layer.enqueue(picture, immediately: true)
        try waitUntilPictureIsCurrent(9)
        let firstFrameID = try #require(layer.router.currentFrame?.id)
        layer.enqueue(picture, immediately: true)
        #expect(Deadline.poll(for: .seconds(10)) { layer.router.currentFrame?.id != firstFrameID ? true : nil } == true)
    }

    @Test func tooManyWaitingPicturesFailTheLayerUntilAFlush() throws {
        let count = SampleBufferDisplayLayer.maximumPendingPictures
        let largePool = try PixelBufferPool(width: 16, height: 16, mostBuffers: count + 1)
        for _ in 0...count {
            layer.enqueue(try largePool.makeBuffer().finished(presentationTime: MediaTime(value: 60, timescale: 1)))
        }
        #expect(layer.status == .failed && layer.error?.code == .resources && !layer.isReadyForMoreMediaData)
        try enqueue(0)
        #expect(currentPictureSecond == nil, "a failed layer accepted a picture")
        layer.flush()
        #expect(layer.status == .unknown && layer.error == nil && layer.isReadyForMoreMediaData)
        try enqueue(0)
        try waitUntilPictureIsCurrent(0)
    }

    @Test func flushKeepsThePictureAndFlushAndRemoveImageRemovesIt() throws {
        try enqueue(0, 5)
        try waitUntilPictureIsCurrent(0)
        try waitUntilReadyForDisplay()
        layer.flush()
        clock.time = MediaTime(value: 6, timescale: 1)
        #expect(currentPictureSecond == 0 && layer.isReadyForDisplay)
        layer.flushAndRemoveImage()
        #expect(!layer.isReadyForDisplay)
        try waitUntilPictureIsCurrent(nil)
        #expect(
            layer.router.waitUntilIdle(until: Deadline.after(.seconds(10)))
                && output.takeCalls().last == .placeholder(nil))
        try enqueue(6)
        try waitUntilPictureIsCurrent(6)
        try waitUntilReadyForDisplay()
    }

    @Test func mediaDataBlockIsCalledWhenTheQueueHasRoom() throws {
        let calls = Counter()
        layer.requestMediaDataWhenReady(on: .global()) { calls.add() }
        try calls.wait(for: 1)
        try enqueue(0)
        try calls.wait(for: 2)
        layer.stopRequestingMediaData()
    }

    @Test("after a block that added nothing, another block is called", arguments: [true, false])
    func newMediaDataBlockIsCalled(isFirstStopped: Bool) throws {
        let firstCalls = Counter(), secondCalls = Counter()
        layer.requestMediaDataWhenReady(on: .global()) { firstCalls.add() }
        try firstCalls.wait(for: 1)
        if isFirstStopped { layer.stopRequestingMediaData() }
        layer.requestMediaDataWhenReady(on: .global()) { secondCalls.add() }
        try secondCalls.wait(for: 1)
        layer.stopRequestingMediaData()
    }

    @Test func layerWithoutATimebaseUsesTheHostClock() throws {
        layer.controlTimebase = nil
        let time = Timebase.hostTime
        layer.enqueue(try pool.makeBuffer().finished(presentationTime: time))
        #expect(
            Deadline.poll(for: .seconds(10)) {
                layer.router.currentFrame?.presentationTime == time.nanoseconds ? true : nil
            }
                == true)
    }
}
