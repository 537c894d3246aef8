import SharedFrames
import Testing

@testable import VideoOutput

/// Returns a picture in the format yuv420p. `level`: the grey level of all pixels; nil draws noise. `seed`: the seed of
/// the noise, and the number of the frame.
func makeFrame(
    width: Int = 320, height: Int = 180, seed: UInt32 = 1, level: UInt8? = nil, pool: FramePool = FramePool()
) throws -> VideoFrame {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let lumaSize = width * height, chromaSize = lumaSize / 4
    let layout = try #require(
        FrameLayout(
            pixelFormat: format, width: width, height: height,
            planes: [
                .init(offset: 0, stride: width), .init(offset: lumaSize, stride: width / 2),
                .init(offset: lumaSize + chromaSize, stride: width / 2),
            ]))
    let buffer = try pool.acquire(size: layout.requiredSize)
    let bytes = buffer.base.assumingMemoryBound(to: UInt8.self)
    var noiseState = seed
    for index in 0..<layout.requiredSize {
        noiseState = noiseState &* 1_664_525 &+ 1_013_904_223
        bytes[index] = index >= lumaSize ? 128 : level ?? UInt8(16 + (noiseState >> 24) % 220)
    }
    return VideoFrame(
        id: UInt64(seed), buffer: buffer, format: FrameFormat(layout: layout, attributes: PictureAttributes()),
        presentationTime: 0,
        duration: 0, streamTime: nil, generation: 0)
}
