import SharedFrames
import Testing

@testable import VideoOutput

/// A picture of noise (`seed`), or of one grey (`level`).
func makeFrame(
    width: Int = 320, height: Int = 180, seed: UInt32 = 1, level: UInt8? = nil, pool: FramePool = FramePool()
) throws -> VideoFrame {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let luma = width * height, chroma = luma / 4
    let layout = try #require(
        FrameLayout(
            pixelFormat: format, width: width, height: height,
            planes: [
                .init(offset: 0, stride: width), .init(offset: luma, stride: width / 2),
                .init(offset: luma + chroma, stride: width / 2),
            ]))
    let buffer = try pool.acquire(size: layout.requiredSize)
    let bytes = buffer.base.assumingMemoryBound(to: UInt8.self)
    var state = seed
    for index in 0..<layout.requiredSize {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = index >= luma ? 128 : level ?? UInt8(16 + (state >> 24) % 220)
    }
    return VideoFrame(
        id: UInt64(seed), buffer: buffer, format: FrameFormat(layout: layout, attributes: PictureAttributes()),
        presentationTime: 0,
        duration: 0, streamTime: nil, generation: 0)
}
