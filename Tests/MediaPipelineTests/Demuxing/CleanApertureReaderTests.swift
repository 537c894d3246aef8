import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct CleanApertureReaderTests {
    /// Returns the crop that the clean aperture box (`clap`) of an MP4 file requires. `words`: width, height,
    /// horizontal offset and vertical offset of the box, each as numerator and denominator.
    private func crop(_ words: UInt32..., size: (Int64, Int64) = (720, 576)) -> PictureCrop? {
        CleanApertureReader.crop(words, width: size.0, height: size.1)
    }

    /// Returns the number -`value` as the clean aperture box stores it, in two's complement.
    private func minus(_ value: Int32) -> UInt32 { UInt32(bitPattern: -value) }

    @Test func aCentredApertureCropsAllEdgesEqually() {
        #expect(crop(704, 1, 560, 1, 0, 1, 0, 1) == PictureCrop(left: 8, top: 8, right: 8, bottom: 8))
    }

    @Test func anApertureOfTheWholePictureCropsNothing() {
        #expect(crop(720, 1, 576, 1, 0, 1, 0, 1) == PictureCrop(left: 0, top: 0, right: 0, bottom: 0))
    }

    @Test func theOffsetIsSigned() {
        #expect(crop(704, 1, 576, 1, 8, 1, 0, 1) == PictureCrop(left: 16, top: 0, right: 0, bottom: 0))
        #expect(crop(704, 1, 576, 1, minus(8), 1, 0, 1) == PictureCrop(left: 0, top: 0, right: 16, bottom: 0))
    }

    @Test func halfASampleIsRoundedTowardsTheUpperLeft() {
        #expect(crop(719, 1, 575, 1, 0, 1, 0, 1) == PictureCrop(left: 0, top: 0, right: 1, bottom: 1))
        #expect(crop(719, 1, 576, 1, 1, 2, 0, 1) == PictureCrop(left: 1, top: 0, right: 0, bottom: 0))
    }

    @Test func aFractionOfASampleIsCutOff() {
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
        #expect(crop(704, 1, 576, 1, minus(9), 1, 0, 1) == nil)
        #expect(crop(704, 1, 576, 1, 0x7FFF_FFFF, 1, 0, 1) == nil)
        #expect(crop(704, 1, 576, 1, 0x8000_0000, 1, 0, 1) == nil)
    }

    @Test func aDenominatorOfZeroIsRefused() {
        for place in [1, 3, 5, 7] {
            var words: [UInt32] = [704, 1, 560, 1, 0, 1, 0, 1]
            words[place] = 0
            #expect(CleanApertureReader.crop(words, width: 720, height: 576) == nil)
        }
    }

    @Test func aBoxOfAnotherLengthIsRefused() {
        #expect(CleanApertureReader.crop([], width: 720, height: 576) == nil)
        #expect(CleanApertureReader.crop([704, 1, 560, 1, 0, 1, 0], width: 720, height: 576) == nil)
    }
}
