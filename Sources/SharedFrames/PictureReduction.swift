/// How a decoded picture was reduced to nearly the size at which it is shown (``PictureReducer``).
package struct PictureReduction: Hashable, Sendable {
    /// The number of columns of the decoded picture that became one column of the reduced picture.
    package let columns: Int
    /// The number of lines of the decoded picture that became one line of the reduced picture.
    package let lines: Int
    /// The pixel format of the decoded picture.
    package let pixelFormat: PixelFormat
}

extension FrameFormat {
    /// The size of the decoded picture in samples, before a reduction, a crop and a rotation.
    package var codedSize: PixelSize {
        let reduction = attributes.reduction
        return PixelSize(
            width: layout.width * (reduction?.columns ?? 1), height: layout.height * (reduction?.lines ?? 1))
    }

    /// The pixel format of the decoded picture, before a reduction.
    package var codedPixelFormat: PixelFormat { attributes.reduction?.pixelFormat ?? layout.pixelFormat }

    /// The format for receivers that treat a reduced picture like any other picture: with the sample aspect ratio and
    /// the matrix of the decoded picture.
    package var withoutReduction: FrameFormat {
        guard let reduction = attributes.reduction else { return self }
        var attributes = attributes
        attributes.reduction = nil
        attributes.matrix = likelyMatrix
        var numerator = max(1, Int(attributes.sampleAspectNumerator)) * reduction.columns
        var denominator = max(1, Int(attributes.sampleAspectDenominator)) * reduction.lines
        while numerator % 2 == 0, denominator % 2 == 0 { (numerator, denominator) = (numerator / 2, denominator / 2) }
        attributes.sampleAspectNumerator = Int32(clamping: numerator)
        attributes.sampleAspectDenominator = Int32(clamping: denominator)
        return FrameFormat(layout: layout, attributes: attributes)
    }

    /// The matrix of the samples. If the stream does not state it, BT.709 is assumed above standard definition and
    /// BT.601 below, as most players do. The choice depends on the size before rotation and cropping.
    package var likelyMatrix: MatrixCoefficients {
        switch attributes.matrix {
        case .bt709, .fcc, .bt470BG, .smpte170M, .smpte240M, .bt2020, .bt2020ConstantLuminance: attributes.matrix
        default:
            if attributes.primaries == .bt2020 {
                .bt2020
            } else {
                codedSize.width >= 1280 || codedSize.height > 576 ? .bt709 : .smpte170M
            }
        }
    }
}

extension VideoFrame {
    /// The size in bytes of the memory of the decoded picture, before a reduction.
    package var wholeByteCount: Int {
        guard format.attributes.reduction != nil else { return buffer.slot.size }
        let size = format.codedSize, pixelFormat = format.codedPixelFormat
        return (0..<pixelFormat.planeCount).reduce(0) { count, plane in
            count + pixelFormat.rowBytes(plane: plane, width: size.width)
                * pixelFormat.rows(plane: plane, height: size.height)
        }
    }

    /// The frame in the format that ``FrameFormat/withoutReduction`` describes.
    package var withoutReduction: VideoFrame {
        guard format.attributes.reduction != nil else { return self }
        return VideoFrame(
            id: id, buffer: buffer, format: format.withoutReduction, presentationTime: presentationTime,
            duration: duration, streamTime: streamTime, generation: generation, decodedPictures: decodedPictures)
    }

    /// Returns a picture that is reduced to nearly `size`, at which its unrotated picture is shown, and its format; nil
    /// if it is not at least twice as large, or of a format that ``PictureReducer`` does not support.
    ///
    /// - Parameter acquire: Returns memory of a number of bytes.
    package static func reduced<Failure: Error>(
        _ buffer: FrameBuffer, _ format: FrameFormat, to size: PixelSize,
        acquire: (Int) throws(Failure) -> FrameBuffer
    ) throws(Failure) -> (FrameBuffer, FrameFormat)? {
        guard format.attributes.reduction == nil,
            let reducer = PictureReducer(format, source: format.visibleRect, target: size),
            let pixelFormat = PixelFormat(name: "yuv422p")
        else { return nil }
        let strides = reducer.strides, height = reducer.size.height
        let layout = FrameLayout(
            pixelFormat: pixelFormat, width: reducer.size.width, height: height,
            planes: [
                FrameLayout.Plane(offset: 0, stride: strides[0]),
                FrameLayout.Plane(offset: strides[0] * height, stride: strides[1]),
                FrameLayout.Plane(offset: (strides[0] + strides[1]) * height, stride: strides[2]),
            ])
        guard let layout else { return nil }
        let reducedBuffer = try acquire(max(layout.requiredSize, reducer.byteCount) + FrameLayout.overreadPadding)
        reducer.reduce(
            PictureMemory(base: UnsafeRawPointer(buffer.base), layout: format.layout), into: reducedBuffer.base)
        var attributes = format.attributes
        attributes.crop = PictureCrop()
        attributes.isFullRange = attributes.isFullRange || format.layout.pixelFormat.name.hasPrefix("yuvj")
        attributes.reduction = PictureReduction(
            columns: reducer.columns, lines: reducer.lines, pixelFormat: format.layout.pixelFormat)
        return (reducedBuffer, FrameFormat(layout: layout, attributes: attributes))
    }
}
