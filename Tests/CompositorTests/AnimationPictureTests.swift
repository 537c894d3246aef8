import SharedFrames
import Testing
import VideoOutput

@testable import Compositor

@Suite struct AnimationPictureTests {
    /// Returns a picture in which the brightness of a pixel identifies its column.
    private func picture(_ size: PixelSize) throws -> ([UInt8], FrameFormat) {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(
                pixelFormat: gray, width: size.width, height: size.height,
                planes: [.init(offset: 0, stride: size.width)]))
        var attributes = PictureAttributes()
        attributes.isFullRange = true
        let bytes = (0..<(layout.requiredSize + 64)).map { UInt8($0 % size.width * 3) }
        return (bytes, FrameFormat(layout: layout, attributes: attributes))
    }

    @Test(arguments: [(64, 36), (32, 18), (80, 45), (7, 5), (64, 1)]) func pictureIsCompleteInEverySize(
        _ width: Int, _ height: Int
    ) throws {
        let size = PixelSize(width: 64, height: 36), targetSize = PixelSize(width: width, height: height)
        let (bytes, format) = try picture(size)
        let pictureAnimation = AnimationPicture(size: size)
        let isConverted = bytes.withUnsafeBytes { memory in
            memory.baseAddress.map {
                pictureAnimation.convert(PictureMemory(base: $0, layout: format.layout), format: format)
            }
        }
        #expect(isConverted == true)
        let stride = width * 4 + 16
        var target = [UInt8](repeating: 77, count: stride * height)
        target.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { pictureAnimation.draw(into: $0, targetSize, stride) }
        }
        for y in 0..<height {
            for x in 0..<width {
                #expect(abs(Int(target[y * stride + x * 4 + 1]) - x * 64 / width * 3) <= 1, "\(x), \(y)")
            }
            #expect(target[y * stride + width * 4] == 77, "a pixel beyond the row was changed")
        }
    }

    @Test func drawingWithoutPictureLeavesPixelsUnchanged() {
        var target = [UInt8](repeating: 77, count: 64)
        target.withUnsafeMutableBytes { memory in
            memory.baseAddress.map {
                AnimationPicture(size: PixelSize(width: 4, height: 4)).draw(
                    into: $0, PixelSize(width: 4, height: 4), 16)
            }
        }
        #expect(target.allSatisfy { $0 == 77 })
    }
}
