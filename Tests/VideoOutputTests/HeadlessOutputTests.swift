import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

@Suite struct HeadlessOutputTests {
    @Test func presentsOnlyPreparedFrames() throws {
        let output = HeadlessOutput()
        #expect(output.present() == nil)
        output.prepare(try makeFrame())
        let before = MonotonicTime.now
        let time = try #require(output.present())
        #expect(time >= before && time <= MonotonicTime.now)
        #expect(output.present() == nil, "a frame is presented only once")
    }

    @Test func aNewPreparedFrameReplacesTheOlderFrame() throws {
        let output = HeadlessOutput()
        weak var first: VideoFrame?
        do {
            let frame = try makeFrame(seed: 1)
            first = frame
            output.prepare(frame)
        }
        #expect(first != nil)
        output.prepare(try makeFrame(seed: 2))
        #expect(first == nil, "the memory of a replaced frame is freed at once")
    }

    @Test func presentReleasesTheFrame() throws {
        let output = HeadlessOutput()
        weak var frame: VideoFrame?
        do {
            let made = try makeFrame()
            frame = made
            output.prepare(made)
        }
        _ = output.present()
        #expect(frame == nil)
    }

    @Test func closeReleasesThePreparedFrame() throws {
        let output = HeadlessOutput(size: PixelSize(width: 640, height: 360))
        output.prepare(try makeFrame())
        output.close()
        #expect(output.present() == nil && output.size == PixelSize(width: 640, height: 360) && output.name == "null")
    }
}
