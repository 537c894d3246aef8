import Testing

@testable import SwiftPlay

@Suite struct PixelBufferPoolTests {
    @Test func drawnSamplesCanBeReadBack() throws {
        let pool = try PixelBufferPool(width: 5, height: 3, pixelFormat: .yuv420p, isFullRange: true)
        var picture = try pool.makeBuffer()
        #expect(picture.planeCount == 3 && picture.rows(ofPlane: 1) == 2)
        for plane in 0..<3 {
            let stride = picture.bytesPerRow(ofPlane: plane), rows = picture.rows(ofPlane: plane)
            picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
                for row in 0..<rows { bytes[row * stride] = UInt8(plane * 10 + row) }
            }
        }
        let finishedPicture = picture.finished(
            presentationTime: MediaTime(value: 1, timescale: 25), duration: MediaTime(value: 1, timescale: 25))
        #expect(finishedPicture.width == 5 && finishedPicture.height == 3)
        #expect(finishedPicture.pixelFormat == .yuv420p && finishedPicture.isFullRange)
        #expect(
            finishedPicture.presentationTime == MediaTime(value: 1, timescale: 25)
                && finishedPicture.duration == MediaTime(value: 1, timescale: 25))
        for plane in 0..<3 {
            let lastRow = finishedPicture.rows(ofPlane: plane) - 1
            let offset = lastRow * finishedPicture.bytesPerRow(ofPlane: plane)
            let sample = finishedPicture.withUnsafeBytes(ofPlane: plane) { $0[offset] }
            #expect(sample == UInt8(plane * 10 + lastRow))
        }
    }

    @Test func releasedBufferIsReusedAndExceedingTheLimitThrows() throws {
        let pool = try PixelBufferPool(width: 16, height: 16, mostBuffers: 2)
        var heldBuffers = [try pool.makeBuffer().finished(), try pool.makeBuffer().finished()]
        #expect(throws: PlaybackError.self) { _ = try pool.makeBuffer() }
        heldBuffers.removeLast()
        _ = try pool.makeBuffer().finished()
        #expect(heldBuffers.count == 1)
    }

    @Test(arguments: [(PixelBuffer.PixelFormat.bgrx, 0, 16), (.bgrx, 16, 16_385), (.pal8, 16, 16)])
    func unsupportedSizesAndFormatsThrow(format: PixelBuffer.PixelFormat, width: Int, height: Int) {
        #expect(throws: PlaybackError.self) {
            _ = try PixelBufferPool(width: width, height: height, pixelFormat: format)
        }
    }
}
