import SharedFrames
import Testing

@testable import VideoOutput

/// Tests of rotated, mirrored and cropped pictures, and of pictures with alpha.
@Suite struct PictureRotatorTests {
    /// Draws an RGB or RGBA picture, whose pixels `pixel` returns, scaled to `size`.
    private func draw(
        _ name: String = "rgba", width: Int, height: Int, orientation: UInt8 = 0, crop: PictureCrop = PictureCrop(),
        into size: PixelSize? = nil,
        pixel: (Int, Int) -> UInt32
    ) throws -> (pixels: [UInt32], size: PixelSize) {
        let format = try #require(PixelFormat(name: name))
        let layout = try #require(
            FrameLayout(
                pixelFormat: format, width: width, height: height, planes: [.init(offset: 0, stride: width * 4)]))
        var attributes = PictureAttributes()
        attributes.orientation = try #require(PictureOrientation(rawValue: orientation))
        attributes.crop = crop
        let frame = FrameFormat(layout: layout, attributes: attributes)
        var memory = [UInt32](repeating: 0, count: width * height + 64)
        for y in 0..<height { for x in 0..<width { memory[y * width + x] = pixel(x, y) } }
        let target = size ?? frame.displaySize,
            visiblePart = PixelRect(x: 0, y: 0, width: frame.orientedSize.width, height: frame.orientedSize.height)
        var targetMemory = [UInt32](repeating: 0, count: target.width * target.height + 1024)
        let isDrawn = memory.withUnsafeBytes { bytes in
            targetMemory.withUnsafeMutableBytes { pixels in
                guard let base = bytes.baseAddress, let targetBase = pixels.baseAddress else { return false }
                return PictureScaler().draw(
                    PictureMemory(base: base, layout: layout), format: frame,
                    source: frame.decodedRect(of: visiblePart), into: targetBase, size: target,
                    stride: target.width * 4)
            }
        }
        #expect(isDrawn)
        return (targetMemory.prefix(target.width * target.height).map { $0 & 0x00ff_ffff }, target)
    }

    /// Returns an RGBA pixel as a little-endian word.
    private func rgba(_ r: Int, _ g: Int, _ b: Int, _ a: Int = 255) -> UInt32 { UInt32(r | g << 8 | b << 16 | a << 24) }
    /// Returns whether two colours differ by at most `levels` of 255.
    private func isNear(_ a: UInt32, _ b: UInt32, within levels: Int = 2) -> Bool {
        [0, 8, 16].allSatisfy { abs(Int((a >> $0) & 255) - Int((b >> $0) & 255)) <= levels }
    }

    @Test(arguments: 0..<8 as Range<UInt8>) func orientationMovesEachPixelToItsPlace(_ rawOrientation: UInt8) throws {
        let (width, height) = (80, 48), orientation = try #require(PictureOrientation(rawValue: rawOrientation))
        let drawnPicture = try draw(width: width, height: height, orientation: rawOrientation) { x, y in
            rgba(x * 3, y * 5, 100)
        }
        #expect(drawnPicture.size == orientation.rotated(PixelSize(width: width, height: height)))
        for y in 0..<drawnPicture.size.height {
            for x in 0..<drawnPicture.size.width {
                let sample = orientation.decodedRect(
                    of: PixelRect(x: x, y: y, width: 1, height: 1), in: PixelSize(width: width, height: height))
                let expected = UInt32(sample.x * 3) << 16 | UInt32(sample.y * 5) << 8 | 100
                #expect(
                    isNear(drawnPicture.pixels[y * drawnPicture.size.width + x], expected),
                    "\(rawOrientation) at \(x), \(y)")
            }
        }
    }

    @Test func rotatedPictureIsScaled() throws {
        // Orientation 5 is a quarter turn clockwise, so the left half is at the top.
        let drawnPicture = try draw(width: 80, height: 48, orientation: 5, into: PixelSize(width: 100, height: 300)) {
            x, _ in
            x < 40 ? rgba(250, 0, 0) : rgba(0, 0, 250)
        }
        #expect(
            isNear(drawnPicture.pixels[50 * 100 + 50], 0xfa0000)
                && isNear(drawnPicture.pixels[250 * 100 + 50], 0x0000fa))
    }

    @Test(arguments: [0, 3, 5] as [UInt8]) func croppedPixelsAreNotDrawn(_ orientation: UInt8) throws {
        let drawnPicture = try draw(
            width: 64, height: 64, orientation: orientation, crop: PictureCrop(left: 8, top: 6, right: 10, bottom: 12)
        ) { x, y in
            (8..<54).contains(x) && (6..<52).contains(y) ? rgba(255, 255, 255) : rgba(200, 0, 0)
        }
        #expect(drawnPicture.size == PixelSize(width: 46, height: 46))
        #expect(drawnPicture.pixels.allSatisfy { $0 == 0xffffff })
    }

    @Test func alphaIsBlendedWithBlack() throws {
        for alpha in [0, 1, 64, 128, 200, 254, 255] {
            let drawnPicture = try draw(width: 32, height: 16) { _, _ in rgba(255, 128, 40, alpha) }
            func compositeOnBlack(_ value: Int) -> UInt32 { UInt32((Double(value * alpha) / 255).rounded()) }
            let expected = compositeOnBlack(255) << 16 | compositeOnBlack(128) << 8 | compositeOnBlack(40)
            #expect(
                drawnPicture.pixels.allSatisfy { isNear($0, expected, within: 1) },
                "\(alpha): \(String(drawnPicture.pixels[0], radix: 16)), wanted \(String(expected, radix: 16))")
        }
    }

    @Test func rgb0IgnoresTheFourthByte() throws {
        let drawnPicture = try draw("rgb0", width: 32, height: 16) { _, _ in rgba(255, 128, 40, 0) }
        #expect(drawnPicture.pixels.allSatisfy { isNear($0, 0xff8028, within: 0) })
    }

    @Test func everyPixelFormatIsDrawn() throws {
        // The decoder converts nv16 and nv20le, so the scaler never receives them.
        for (number, descriptor) in PixelFormat.descriptors.enumerated()
        where !["nv16", "nv20le"].contains(descriptor.name) {
            let format = try #require(PixelFormat(rawValue: UInt16(number)))
            var planes: [FrameLayout.Plane] = [], offset = 0
            for index in 0..<format.planeCount {
                let stride = (format.rowBytes(plane: index, width: 35) + 63) & ~31
                planes.append(.init(offset: offset, stride: stride))
                offset += stride * 24
            }
            if format.hasPalette { planes.append(.init(offset: offset, stride: 0)) }
            let layout = try #require(FrameLayout(pixelFormat: format, width: 35, height: 21, planes: planes))
            let memory = [UInt8](repeating: 0, count: layout.requiredSize + 4096)
            for transfer in [TransferCharacteristics.unspecified, .pq] {
                var attributes = PictureAttributes()
                attributes.transfer = transfer
                var targetMemory = [UInt8](repeating: 0, count: 35 * 21 * 4 + 4096)
                let isDrawn = memory.withUnsafeBytes { bytes in
                    targetMemory.withUnsafeMutableBytes { pixels in
                        guard let base = bytes.baseAddress, let targetBase = pixels.baseAddress else { return false }
                        return PictureScaler().draw(
                            PictureMemory(base: base, layout: layout),
                            format: FrameFormat(layout: layout, attributes: attributes),
                            source: PixelRect(x: 0, y: 0, width: 35, height: 21), into: targetBase,
                            size: PixelSize(width: 35, height: 21), stride: 140)
                    }
                }
                #expect(isDrawn, "\(descriptor.name) with transfer \(transfer.rawValue)")
            }
        }
    }
}
