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

    @Test func pictureWithoutANumericTimeIsShownAtTimeZero() throws {
        let pool = try PixelBufferPool(width: 8, height: 8)
        for time in [MediaTime.invalid, .indefinite, .positiveInfinity] {
            let picture = try pool.makeBuffer().finished(presentationTime: time, duration: time)
            #expect(picture.presentationTime == .zero && picture.duration == .zero)
        }
    }

    @Test func negativeDurationOfAPictureBecomesZero() throws {
        let picture = try PixelBufferPool(width: 8, height: 8).makeBuffer().finished(
            presentationTime: MediaTime(seconds: -2), duration: MediaTime(seconds: -1))
        #expect(picture.presentationTime == MediaTime(seconds: -2) && picture.duration == .zero)
    }

    @Test func aspectRatioThatExceeds32BitsBecomesSquare() throws {
        for ratio in [
            PixelAspectRatio(horizontalSpacing: .max, verticalSpacing: 1),
            PixelAspectRatio(horizontalSpacing: 1, verticalSpacing: Int(Int32.max) + 1),
        ] {
            let pool = try PixelBufferPool(width: 8, height: 8, sampleAspectRatio: ratio)
            #expect(try pool.makeBuffer().finished().sampleAspectRatio == .square)
        }
    }

    @Test(arguments: [0, -3, .min]) func poolWithoutALimitAboveZeroHasOneBuffer(mostBuffers: Int) throws {
        let pool = try PixelBufferPool(width: 8, height: 8, mostBuffers: mostBuffers)
        let picture = try pool.makeBuffer().finished()
        #expect(throws: PlaybackError.self) { _ = try pool.makeBuffer() }
        #expect(picture.width == 8)
    }

    @Test func planeBytesEndWithTheLastVisibleSample() throws {
        let picture = try PixelBufferPool(width: 5, height: 3, pixelFormat: .yuv420p).makeBuffer().finished()
        // The chroma planes of an odd size are rounded up: 3 x 2 samples.
        for (plane, rowBytes, rows) in [(0, 5, 3), (1, 3, 2), (2, 3, 2)] {
            let byteCount = picture.withUnsafeBytes(ofPlane: plane) { $0.count }
            #expect(byteCount == picture.bytesPerRow(ofPlane: plane) * (rows - 1) + rowBytes)
        }
    }
}
