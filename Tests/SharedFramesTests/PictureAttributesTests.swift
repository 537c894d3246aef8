import Testing

@testable import SharedFrames

@Suite struct PictureAttributesTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// Returns attributes with the given sample aspect ratio.
    private func attributes(_ numerator: Int32, _ denominator: Int32) -> PictureAttributes {
        var attributes = PictureAttributes()
        (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (numerator, denominator)
        return attributes
    }

    @Test func squareSamplesKeepTheSize() {
        #expect(PictureAttributes().displaySize(of: size(1920, 1080)) == size(1920, 1080))
        #expect(attributes(7, 7).displaySize(of: size(640, 360)) == size(640, 360))
    }

    @Test func wideSamplesStretchTheWidth() {
        #expect(attributes(16, 11).displaySize(of: size(704, 576)) == size(1024, 576))
        #expect(attributes(4, 3).displaySize(of: size(1440, 1080)) == size(1920, 1080))
    }

    @Test func tallSamplesStretchTheHeight() {
        #expect(attributes(8, 9).displaySize(of: size(720, 480)) == size(720, 540))
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 1), (1, -1), (70_000, 1), (1, 70_000)])
    func anInvalidAspectRatioIsIgnored(_ numerator: Int32, _ denominator: Int32) {
        #expect(attributes(numerator, denominator).displaySize(of: size(640, 360)) == size(640, 360))
    }

    @Test func rotationSwapsWidthAndHeightOfTheDisplaySize() {
        var rotatedAttributes = attributes(2, 1)
        rotatedAttributes.orientation = PictureOrientation(transposes: true, mirrorsX: false, mirrorsY: false)
        #expect(rotatedAttributes.displaySize(of: size(320, 240)) == size(240, 640))
    }

    @Test func theCropIsAppliedBeforeTheAspectRatio() {
        var croppedAttributes = attributes(2, 1)
        croppedAttributes.crop = PictureCrop(left: 10, top: 0, right: 10, bottom: 20)
        #expect(croppedAttributes.displaySize(of: size(120, 120)) == size(200, 100))
    }

    @Test func aCropThatLeavesNoSamplesIsIgnored() {
        var croppedAttributes = PictureAttributes()
        croppedAttributes.crop = PictureCrop(left: 60, top: 0, right: 60, bottom: 0)
        #expect(croppedAttributes.displaySize(of: size(120, 80)) == size(120, 80))
    }

    @Test func displaySizeIsAtLeastOnePixel() {
        #expect(attributes(1, 60_000).displaySize(of: size(1, 1)) == size(1, 60_000))
    }
}
