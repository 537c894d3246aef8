import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

@Suite struct HeadlessOutputTests {
    @Test func onlyPreparedFramesArePresented() throws {
        let output = HeadlessOutput()
        #expect(output.present() == nil)
        output.prepare(try makeFrame())
        let startTime = MonotonicTime.now
        let time = try #require(output.present())
        #expect(time >= startTime && time <= MonotonicTime.now)
        #expect(output.present() == nil, "a frame is presented only once")
    }

    @Test func aNewPreparedFrameReplacesTheOlderFrame() throws {
        let output = HeadlessOutput()
        weak var replacedFrame: VideoFrame?
        do {
            let frame = try makeFrame(seed: 1)
            replacedFrame = frame
            output.prepare(frame)
        }
        #expect(replacedFrame != nil)
        output.prepare(try makeFrame(seed: 2))
        #expect(replacedFrame == nil, "the memory of a replaced frame is freed at once")
    }

    @Test func presentReleasesTheFrame() throws {
        let output = HeadlessOutput()
        weak var frame: VideoFrame?
        do {
            let preparedFrame = try makeFrame()
            frame = preparedFrame
            output.prepare(preparedFrame)
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
