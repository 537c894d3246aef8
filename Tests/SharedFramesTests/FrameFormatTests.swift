import Testing

@testable import SharedFrames

@Suite struct FrameFormatTests {
    /// Returns a frame format with changed attributes.
    private func format(_ change: (inout PictureAttributes) -> Void) throws -> FrameFormat {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(FrameLayout(aligned: gray, width: 100, height: 60))
        var attributes = PictureAttributes()
        change(&attributes)
        return FrameFormat(layout: layout, attributes: attributes)
    }

    @Test func allSamplesAreVisibleWithoutACrop() throws {
        let format = try format { _ in }
        #expect(format.visibleRect == PixelRect(x: 0, y: 0, width: 100, height: 60))
        #expect(format.orientedSize == PixelSize(width: 100, height: 60))
        #expect(format.displaySize == PixelSize(width: 100, height: 60))
    }

    @Test func cropLimitsTheVisibleSamples() throws {
        let format = try format { $0.crop = PictureCrop(left: 4, top: 2, right: 6, bottom: 8) }
        #expect(format.visibleRect == PixelRect(x: 4, y: 2, width: 90, height: 50))
        #expect(format.orientedSize == PixelSize(width: 90, height: 50))
    }

    @Test func aPartOfTheCroppedPictureIsOffsetByTheCrop() throws {
        let format = try format { $0.crop = PictureCrop(left: 4, top: 2, right: 0, bottom: 0) }
        #expect(
            format.decodedRect(of: PixelRect(x: 1, y: 3, width: 5, height: 7))
                == PixelRect(x: 5, y: 5, width: 5, height: 7))
    }

    @Test func aPartOfATransposedPictureHasSwappedSides() throws {
        let format = try format {
            $0.orientation = PictureOrientation(transposes: true, mirrorsX: false, mirrorsY: false)
        }
        #expect(format.orientedSize == PixelSize(width: 60, height: 100))
        #expect(
            format.decodedRect(of: PixelRect(x: 10, y: 20, width: 5, height: 7))
                == PixelRect(x: 20, y: 10, width: 7, height: 5))
    }

    @Test(arguments: 0..<8)
    func wholeOrientedPictureMapsToAllVisibleSamples(_ orientation: UInt8) throws {
        let format = try format {
            $0.orientation = PictureOrientation(rawValue: orientation) ?? .upright
            $0.crop = PictureCrop(left: 3, top: 5, right: 1, bottom: 2)
        }
        let wholePicture = PixelRect(x: 0, y: 0, width: format.orientedSize.width, height: format.orientedSize.height)
        #expect(format.decodedRect(of: wholePicture) == format.visibleRect)
    }

    /// Returns a format of a picture whose samples a reducer has averaged in blocks.
    private func reducedFormat(
        _ columns: Int, _ lines: Int, _ change: (inout PictureAttributes) -> Void = { _ in }
    ) throws -> FrameFormat {
        let planar = try #require(PixelFormat(name: "yuv420p"))
        return try format {
            $0.reduction = PictureReduction(columns: columns, lines: lines, pixelFormat: planar)
            change(&$0)
        }
    }

    @Test func aStatedMatrixIsKept() throws {
        let matrices: [MatrixCoefficients] = [
            .bt709, .fcc, .bt470BG, .smpte170M, .smpte240M, .bt2020, .bt2020ConstantLuminance,
        ]
        for matrix in matrices {
            let format = try format { ($0.matrix, $0.primaries) = (matrix, .bt2020) }
            #expect(format.likelyMatrix == matrix)
        }
    }

    @Test func theMatrixOfPrimariesOfUHDTVIsThatOfUHDTV() throws {
        for matrix in [MatrixCoefficients.unspecified, .rgb, MatrixCoefficients(rawValue: 200)] {
            #expect(try format { ($0.matrix, $0.primaries) = (matrix, .bt2020) }.likelyMatrix == .bt2020)
            #expect(try format { ($0.matrix, $0.primaries) = (matrix, .bt709) }.likelyMatrix == .smpte170M)
        }
    }

    @Test(arguments: [(1279, 576, false), (1280, 10, true), (10, 577, true), (720, 576, false)])
    func anUnstatedMatrixDependsOnTheDefinition(_ width: Int, _ height: Int, _ isHighDefinition: Bool) throws {
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(FrameLayout(aligned: gray, width: width, height: height))
        var attributes = PictureAttributes()
        // The rotated and cropped picture is smaller, but the decoded size decides.
        attributes.crop = PictureCrop(left: 4, top: 4)
        attributes.orientation = PictureOrientation(transposes: true, mirrorsX: false, mirrorsY: false)
        let matrix = FrameFormat(layout: layout, attributes: attributes).likelyMatrix
        #expect(matrix == (isHighDefinition ? .bt709 : .smpte170M))
    }

    @Test func theMatrixOfAReducedPictureDependsOnTheDecodedSize() throws {
        #expect(try reducedFormat(2, 2).likelyMatrix == .smpte170M)
        #expect(try reducedFormat(4, 16).likelyMatrix == .bt709, "60 lines stand for 960")
    }

    @Test func anUnevenReductionChangesTheSampleAspectRatio() throws {
        let format = try reducedFormat(4, 2) {
            ($0.sampleAspectNumerator, $0.sampleAspectDenominator) = (16, 11)
        }
        #expect(format.codedSize == PixelSize(width: 400, height: 120))
        let sent = format.withoutReduction
        #expect(sent.attributes.sampleAspectNumerator == 32 && sent.attributes.sampleAspectDenominator == 11)
        #expect(sent.attributes.reduction == nil && sent.attributes.matrix == .smpte170M)
        #expect(sent.codedSize == PixelSize(width: 100, height: 60))
    }

    @Test func anInvalidSampleAspectRatioOfAReducedPictureBecomesThatOfItsBlocks() throws {
        let format = try reducedFormat(2, 4) {
            ($0.sampleAspectNumerator, $0.sampleAspectDenominator) = (0, -3)
        }
        let attributes = format.withoutReduction.attributes
        #expect(attributes.sampleAspectNumerator == 1 && attributes.sampleAspectDenominator == 2)
        let largest = try reducedFormat(4, 1) { $0.sampleAspectNumerator = .max }.withoutReduction.attributes
        #expect(largest.sampleAspectNumerator == .max && largest.sampleAspectDenominator == 1)
    }

    @Test func aPartOfAReducedPictureHasAtLeastOneSample() throws {
        let format = try reducedFormat(4, 16)
        #expect(
            format.decodedRect(of: PixelRect(x: 9, y: 17, width: 1, height: 3))
                == PixelRect(x: 2, y: 1, width: 1, height: 1))
    }
}
