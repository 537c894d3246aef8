import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct CleanApertureReaderTests {
    /// Returns the crop that the clean aperture box (`clap`) of an MP4 file requires for a picture of 720 × 576.
    ///
    /// - Parameter fields: The box's width, height, horizontal offset and vertical offset, each as numerator and
    ///   denominator.
    private func crop(_ fields: UInt32...) -> PictureCrop? {
        CleanApertureReader.crop(fields, width: 720, height: 576)
    }

    /// Returns `-value` in two's complement, as the clean aperture box stores it.
    private func negated(_ value: Int32) -> UInt32 { UInt32(bitPattern: -value) }

    @Test func aCentredApertureCropsAllEdgesEqually() {
        #expect(crop(704, 1, 560, 1, 0, 1, 0, 1) == PictureCrop(left: 8, top: 8, right: 8, bottom: 8))
    }

    @Test func anApertureOfTheWholePictureCropsNothing() {
        #expect(crop(720, 1, 576, 1, 0, 1, 0, 1) == PictureCrop(left: 0, top: 0, right: 0, bottom: 0))
    }

    @Test func offsetCanBeNegative() {
        #expect(crop(704, 1, 576, 1, 8, 1, 0, 1) == PictureCrop(left: 16, top: 0, right: 0, bottom: 0))
        #expect(crop(704, 1, 576, 1, negated(8), 1, 0, 1) == PictureCrop(left: 0, top: 0, right: 16, bottom: 0))
    }

    @Test func halfSampleIsRoundedTowardsTheUpperLeft() {
        #expect(crop(719, 1, 575, 1, 0, 1, 0, 1) == PictureCrop(left: 0, top: 0, right: 1, bottom: 1))
        #expect(crop(719, 1, 576, 1, 1, 2, 0, 1) == PictureCrop(left: 1, top: 0, right: 0, bottom: 0))
    }

    @Test func fractionalWidthIsRoundedDown() {
        #expect(crop(1409, 2, 576, 1, 0, 1, 0, 1) == PictureCrop(left: 8, top: 0, right: 8, bottom: 0))
    }

    @Test func aPictureThatIsTooLargeOrEmptyIsRefused() {
        #expect(crop(721, 1, 576, 1, 0, 1, 0, 1) == nil)
        #expect(crop(720, 1, 577, 1, 0, 1, 0, 1) == nil)
        #expect(crop(0, 1, 576, 1, 0, 1, 0, 1) == nil)
        #expect(crop(1, 2, 576, 1, 0, 1, 0, 1) == nil)
    }

    @Test func anOffsetBeyondThePictureIsRefused() {
        #expect(crop(704, 1, 576, 1, 9, 1, 0, 1) == nil)
        #expect(crop(704, 1, 576, 1, negated(9), 1, 0, 1) == nil)
        #expect(crop(704, 1, 576, 1, 0x7FFF_FFFF, 1, 0, 1) == nil)
        #expect(crop(704, 1, 576, 1, 0x8000_0000, 1, 0, 1) == nil)
    }

    @Test func aDenominatorOfZeroIsRefused() {
        for denominatorIndex in [1, 3, 5, 7] {
            var fields: [UInt32] = [704, 1, 560, 1, 0, 1, 0, 1]
            fields[denominatorIndex] = 0
            #expect(CleanApertureReader.crop(fields, width: 720, height: 576) == nil)
        }
    }

    @Test func aBoxOfAnotherLengthIsRefused() {
        #expect(CleanApertureReader.crop([], width: 720, height: 576) == nil)
        #expect(CleanApertureReader.crop([704, 1, 560, 1, 0, 1, 0], width: 720, height: 576) == nil)
    }
}
