import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct SizeRuleTests {
    private let rule = SizeRule()

    /// Returns the picture heights of the variants that the size rule permits for a view.
    private func heights(_ view: VideoViewGeometry, of variants: [VariantCandidate] = ChooserFixtures.ladder) -> [Int] {
        let limit = rule.pixelLimit(of: variants, in: view)
        return variants.filter { rule.isWithinPixelLimit($0, pixelLimit: limit) }.compactMap { $0.size?.height }
    }

    /// Returns the rounded size at which a view shows a picture of 1280×720.
    private func fittedSize(_ view: VideoViewGeometry) -> PixelSize {
        let size = rule.fittedSize(of: PixelSize(width: 1280, height: 720), in: view)
        return PixelSize(width: Int(size.width.rounded()), height: Int(size.height.rounded()))
    }

    /// Returns variants with the given picture sizes and ascending bandwidths.
    private func variants(_ sizes: [(Int, Int)]) -> [VariantCandidate] {
        sizes.enumerated().map { index, size in
            VariantCandidate(
                index: index, bandwidth: Int64(index + 1) * 1_000_000, size: PixelSize(width: size.0, height: size.1))
        }
    }

    @Test("By default, a picture covers a view from 98 % of its pixels")
    func defaultCoverageIs98Percent() { #expect(rule.coverage == 0.98) }

    @Test(
        "The smallest variant that covers the view is the largest permitted variant",
        arguments: [
            (400, 225, 360), (320, 180, 180), (1280, 720, 720), (1306, 734, 720), (1307, 735, 1080), (1920, 1080, 1080),
            (3840, 2160, 1080), (1, 1, 180),
        ])
    func smallestVariantThatCoversTheViewIsTheLimit(width: Int, height: Int, expected: Int) {
        #expect(heights(ChooserFixtures.view(width, height)).last == expected)
    }

    @Test("Bars beside the picture are not counted as its area") func barsBesideThePictureAreNotCounted() {
        // The picture, at 16:9, fills 1280×720 of each of these views.
        #expect(heights(ChooserFixtures.view(1280, 2000)).last == 720)
        #expect(heights(ChooserFixtures.view(3000, 720)).last == 720)
    }

    @Test("Portrait and cropped pictures are fitted by width and height")
    func portraitAndCroppedPicturesAreFittedByWidthAndHeight() {
        let portraitVariants = variants([(202, 360), (405, 720), (608, 1080), (1080, 1920)])
        #expect(heights(ChooserFixtures.view(1280, 720), of: portraitVariants) == [360, 720])
        let croppedVariants = variants([(640, 266), (1280, 534), (1920, 800)])
        #expect(heights(ChooserFixtures.view(1280, 720), of: croppedVariants) == [266, 534])
    }

    @Test("A view that the picture fills needs more pixels than one that shows it whole")
    func viewThatThePictureFillsNeedsMorePixels() {
        var view = ChooserFixtures.view(640, 1080)
        #expect(heights(view).last == 360)
        view.gravity = .aspectFill
        #expect(heights(view).last == 1080)
        #expect(fittedSize(view) == PixelSize(width: 1920, height: 1080))
        view.gravity = .stretch
        #expect(fittedSize(view) == PixelSize(width: 640, height: 1080))
        #expect(heights(view).last == 1080)
    }

    @Test("A turned picture is fitted after the rotation") func rotatedPictureIsFittedAfterTheRotation() {
        var view = ChooserFixtures.view(720, 1280)
        #expect(heights(view).last == 480)
        view.isQuarterTurned = true
        #expect(fittedSize(view) == PixelSize(width: 1280, height: 720))
        #expect(heights(view).last == 720)
    }

    @Test("The size of a view with non-square pixels is converted to square pixels")
    func nonSquarePixelsAreConvertedToSquareOnes() {
        // 640 columns of pixels that are half as wide as high span the width of 320 square pixels.
        var view = ChooserFixtures.view(640, 180)
        view.pixelAspectRatio = 0.5
        let fittedPictureSize = rule.fittedSize(of: PixelSize(width: 1280, height: 720), in: view)
        #expect(abs(fittedPictureSize.width - 640) < 0.01 && abs(fittedPictureSize.height - 180) < 0.01)
    }

    @Test("Variants without a resolution are permitted") func variantsWithoutAResolutionArePermitted() {
        let variantsWithoutSize = (0..<3).map { VariantCandidate(index: $0, bandwidth: Int64($0 + 1) * 1_000_000) }
        let limit = rule.pixelLimit(
            of: variantsWithoutSize + ChooserFixtures.ladder, in: ChooserFixtures.view(320, 180))
        #expect(variantsWithoutSize.allSatisfy { rule.isWithinPixelLimit($0, pixelLimit: limit) })
    }

    @Test("A view that is larger than all variants, or empty, excludes no variant")
    func largerOrEmptyViewExcludesNoVariant() {
        #expect(heights(ChooserFixtures.view(8000, 8000)).count == 5)
        #expect(heights(ChooserFixtures.view(0, 0)).count == 5)
    }

    @Test("If only large variants exist, the smallest of them is permitted")
    func smallestOfOnlyLargeVariantsIsPermitted() {
        #expect(heights(ChooserFixtures.view(400, 225), of: variants([(1280, 720), (1920, 1080)])) == [720])
    }

    @Test("Sizes at the limits of the type do not trap") func extremeSizesDoNotTrap() {
        let hugeVariants = variants([(.max, .max), (1, .max), (.max, 1)])
        #expect(!heights(ChooserFixtures.view(.max, .max), of: hugeVariants).isEmpty)
        #expect(!heights(ChooserFixtures.view(1, .max), of: hugeVariants).isEmpty)
    }
}
