import SharedFrames
import Testing

@testable import SwiftPlay

@Suite struct PixelBufferFormatTests {
    @Test func everyFrameFormatHasAPixelBufferFormat() {
        #expect(SharedFrames.PixelFormat.descriptors.map(\.name) == PixelBuffer.PixelFormat.allCases.map(\.rawValue))
    }

    @Test func pixelBufferHasTheFormatOfItsPool() throws {
        for format in [PixelBuffer.PixelFormat.xrgb, .nv12, .yuv420p10le] {
            let pool = try PixelBufferPool(width: 8, height: 8, pixelFormat: format)
            let picture = try pool.makeBuffer().finished()
            #expect(pool.pixelFormat == format && picture.pixelFormat == format)
        }
    }

    @Test func pixelBufferHasTheColorsAndAspectRatioOfItsPool() throws {
        let pool = try PixelBufferPool(
            width: 8, height: 8, pixelFormat: .yuv420p,
            sampleAspectRatio: PixelAspectRatio(horizontalSpacing: 16, verticalSpacing: 11), colorMatrix: .bt709)
        let picture = try pool.makeBuffer().finished()
        #expect(picture.colorMatrix == .bt709 && picture.colorPrimaries == .unspecified)
        #expect(picture.transferFunction == .unspecified && "\(picture.sampleAspectRatio)" == "16:11")
    }

    @Test func reservedCodesOfH273AreUnspecified() {
        #expect(PixelBuffer.ColorMatrix(code: 3) == .unspecified && PixelBuffer.ColorMatrix(code: 255) == .unspecified)
        #expect(PixelBuffer.ColorPrimaries(code: 0) == .unspecified && PixelBuffer.ColorPrimaries(code: 9) == .bt2020)
        #expect(PixelBuffer.TransferFunction(code: 3) == .unspecified)
        #expect(PixelBuffer.TransferFunction(code: 16) == .perceptualQuantizer)
    }
}
