/// The rotation and the aspect ratio that the user sets for pictures, in addition to or instead of what the file
/// states. A pure value.
package struct PictureTransform: Hashable, Sendable {
    /// A rotation of pictures.
    package enum Rotation: Hashable, Sendable {
        /// The orientation that the file states, then a clockwise rotation by this number of quarter turns.
        case added(quarterTurns: Int)
        /// Pictures as they are decoded: the orientation that the file states is ignored.
        case ignored
    }

    /// An aspect ratio of pictures before rotation.
    package enum AspectRatio: Hashable, Sendable {
        /// The aspect ratio that the file states.
        case stated
        /// The aspect ratio of square samples: what the file states is ignored.
        case squareSamples
        /// The width of the visible picture divided by its height.
        case ratio(Double)
    }

    package var rotation = Rotation.added(quarterTurns: 0)
    package var aspectRatio = AspectRatio.stated

    /// Creates a transform that changes no picture.
    package init() {}

    /// The aspect ratios that ``AspectRatio/ratio(_:)`` accepts; other numbers are clamped.
    package static let aspectRatios = 0.1...10.0

    /// Returns the given format of a decoded picture with the user's rotation and aspect ratio.
    package func displayedFormat(of format: FrameFormat) -> FrameFormat {
        guard self != PictureTransform() else { return format }
        var attributes = format.attributes
        switch rotation {
        case .added(let count): attributes.orientation = attributes.orientation.rotatedClockwise(quarterTurns: count)
        case .ignored: attributes.orientation = .upright
        }
        switch aspectRatio {
        case .stated: break
        case .squareSamples: (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (1, 1)
        case .ratio(let ratio):
            (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = Self.sampleAspectRatio(
                of: format.visibleRect.size, displayedAt: ratio)
        }
        return FrameFormat(layout: format.layout, attributes: attributes)
    }

    /// Returns the sample aspect ratio, as a fraction, with which a picture of `size` samples has an aspect ratio.
    private static func sampleAspectRatio(of size: PixelSize, displayedAt ratio: Double) -> (Int32, Int32) {
        guard !size.isEmpty, ratio.isFinite else { return (1, 1) }
        let clampedRatio = min(max(ratio, aspectRatios.lowerBound), aspectRatios.upperBound)
        let sampleRatio = clampedRatio * Double(size.height) / Double(size.width)
        /// The larger of numerator and denominator; small enough for ``PictureAttributes/displaySize(of:)``.
        let largerPart: Int32 = 60_000
        func smallerPart(_ quotient: Double) -> Int32 {
            Int32(exactly: max(1, (Double(largerPart) * quotient).rounded())) ?? largerPart
        }
        return sampleRatio >= 1 ? (largerPart, smallerPart(1 / sampleRatio)) : (smallerPart(sampleRatio), largerPart)
    }
}

extension PictureOrientation {
    /// Returns this orientation followed by a clockwise rotation.
    package func rotatedClockwise(quarterTurns: Int) -> PictureOrientation {
        var orientation = self
        // A quarter turn transposes the picture, then mirrors it horizontally.
        for _ in 0..<((quarterTurns % 4 + 4) % 4) {
            orientation = PictureOrientation(
                transposes: !orientation.transposes, mirrorsX: !orientation.mirrorsY, mirrorsY: orientation.mirrorsX)
        }
        return orientation
    }
}

extension VideoFrame {
    /// Returns a frame with the samples of this frame, displayed as a transform states; this frame if that changes
    /// nothing.
    ///
    /// - Parameter isNew: Whether the result gets a new number, because this frame may have been shown already.
    package func displayed(with transform: PictureTransform, isNew: Bool = false) -> VideoFrame {
        let newFormat = transform.displayedFormat(of: decodedFormat)
        guard newFormat != format else { return self }
        return VideoFrame(
            id: isNew ? Self.makeID() : id, buffer: buffer, format: newFormat, decodedFormat: decodedFormat,
            presentationTime: presentationTime, duration: duration, streamTime: streamTime, generation: generation,
            decodedPictures: decodedPictures)
    }
}
