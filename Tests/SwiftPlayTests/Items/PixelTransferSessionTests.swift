import Testing

@testable import SwiftPlay

@Suite struct PixelTransferSessionTests {
    /// Returns a picture whose planes contain one value each.
    private func picture(
        _ format: PixelBuffer.PixelFormat, _ values: [UInt8], matrix: PixelBuffer.ColorMatrix = .bt709
    ) throws -> PixelBuffer {
        let pool = try PixelBufferPool(width: 32, height: 16, pixelFormat: format, colorMatrix: matrix)
        var picture = try pool.makeBuffer()
        for (plane, value) in values.enumerated() {
            picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
                for index in bytes.indices { bytes[index] = value }
            }
        }
        return picture.finished()
    }

    /// Returns the bytes of the pixels in the first and the last column of each row, drawn at the given size.
    private func pixels(of source: PixelBuffer, width: Int, height: Int) throws -> [[UInt8]] {
        let pool = try PixelBufferPool(width: width, height: height, pixelFormat: .bgra)
        var target = try pool.makeBuffer()
        try PixelTransferSession().transferImage(from: source, to: &target)
        let result = target.finished(), stride = result.bytesPerRow(ofPlane: 0)
        return result.withUnsafeBytes(ofPlane: 0) { bytes in
            (0..<height).flatMap { row in
                [0, width - 1].map { column in Array(bytes[(row * stride + column * 4)...].prefix(4)) }
            }
        }
    }

    @Test(arguments: [(32, 16), (13, 7), (100, 90)])
    func wholeTargetHasTheColourOfThePictureAndIsOpaque(width: Int, height: Int) throws {
        // Red of BT.709 in the video range.
        let red = try picture(.yuv420p, [63, 102, 240])
        for pixel in try pixels(of: red, width: width, height: height) {
            #expect(pixel[0] <= 4 && pixel[1] <= 4 && pixel[2] >= 251 && pixel[3] == 255, "\(pixel)")
        }
    }

    @Test func matrixOfThePictureDecidesTheColour() throws {
        let samples: [UInt8] = [100, 90, 180]
        let pixelsFromBT709 = try pixels(of: picture(.yuv420p, samples, matrix: .bt709), width: 32, height: 16)
        let pixelsFromBT470BG = try pixels(of: picture(.yuv420p, samples, matrix: .bt470BG), width: 32, height: 16)
        #expect(pixelsFromBT709 != pixelsFromBT470BG)
    }

    @Test func targetWithAnotherFormatThrows() throws {
        let source = try picture(.gray, [128])
        var target = try PixelBufferPool(width: 32, height: 16, pixelFormat: .rgb24).makeBuffer()
        #expect(target.pixelFormat == .rgb24)
        let error = #expect(throws: PlaybackError.self) {
            try PixelTransferSession().transferImage(from: source, to: &target)
        }
        #expect(error?.code == .unsupported)
    }

    @Test func addressOfAPictureDoesNotChangeWhileACopyExists() throws {
        let pool = try PixelBufferPool(width: 16, height: 16, pixelFormat: .gray, mostBuffers: 2)
        let address = { (picture: PixelBuffer) in picture.withUnsafeBytes(ofPlane: 0) { $0.baseAddress } }
        let original = try pool.makeBuffer().finished(), copy = original
        let other = try pool.makeBuffer().finished()
        #expect(address(original) == address(copy))
        #expect(address(original) != address(other))
    }
}
