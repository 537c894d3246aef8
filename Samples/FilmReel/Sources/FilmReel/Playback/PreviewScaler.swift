import SwiftPlay

/// Converts planes of 8-bit YCbCr samples to the BGRX pixels of a poster.
struct PreviewScaler: Equatable {
    /// The crop that selects the shown part of the picture.
    let crop: PosterCrop
    /// The ratio of the sizes of luma and chroma planes: 1 or 2.
    let chromaScale: PixelSize
    /// Whether samples use all codes from 0 to 255 instead of the video range.
    let isFullRange: Bool
    /// The coefficients of the conversion to RGB.
    let coefficients: Coefficients

    /// A plane of 8-bit samples.
    struct Plane {
        let bytes: UnsafeRawBufferPointer
        let bytesPerRow: Int
    }

    /// The coefficients of the conversion from YCbCr to RGB, times 2^16.
    struct Coefficients: Equatable {
        let redFromCr: Int
        let greenFromCb: Int
        let greenFromCr: Int
        let blueFromCb: Int

        /// The coefficients of ITU-R BT.709.
        static let bt709 = Self(redFromCr: 103_206, greenFromCb: 12_276, greenFromCr: 30_679, blueFromCb: 121_609)
        /// The coefficients of ITU-R BT.601.
        static let bt601 = Self(redFromCr: 91_881, greenFromCb: 22_553, greenFromCr: 46_802, blueFromCb: 116_130)
    }

    /// The factors of the video range: 255/219 for luma and 255/224 for chroma, times 2^16.
    private static let videoRangeLuma = 76_309, videoRangeChroma = 74_606

    /// Returns the pixels of the poster: rows of BGRX pixels without padding.
    func pixels(luma: Plane, cb: Plane, cr: Plane) -> [UInt8] {
        let part = crop.part, tile = crop.tile
        let left = (crop.source.width - part.width) / 2, top = (crop.source.height - part.height) / 2
        let columns = (0..<tile.width).map { left + $0 * part.width / tile.width }
        return [UInt8](unsafeUninitializedCapacity: tile.width * tile.height * 4) { pixels, count in
            var target = 0
            for row in 0..<tile.height {
                let y = top + row * part.height / tile.height
                let lumaRow = y * luma.bytesPerRow
                let cbRow = y / chromaScale.height * cb.bytesPerRow, crRow = y / chromaScale.height * cr.bytesPerRow
                for x in columns {
                    let column = x / chromaScale.width
                    let color = color(
                        Int(luma.bytes[lumaRow + x]), Int(cb.bytes[cbRow + column]), Int(cr.bytes[crRow + column]))
                    (pixels[target], pixels[target + 1], pixels[target + 2]) = color
                    pixels[target + 3] = 0
                    target += 4
                }
            }
            count = target
        }
    }

    /// Returns the blue, green and red components of a pixel with the samples `y`, `cb` and `cr`.
    func color(_ y: Int, _ cb: Int, _ cr: Int) -> (UInt8, UInt8, UInt8) {
        let luma = isFullRange ? y << 16 : (y - 16) * Self.videoRangeLuma
        let scale = isFullRange ? 1 << 16 : Self.videoRangeChroma
        let u = ((cb - 128) * scale) >> 16, v = ((cr - 128) * scale) >> 16
        func component(_ value: Int) -> UInt8 { UInt8(clamping: (value + 1 << 15) >> 16) }
        return (
            component(luma + u * coefficients.blueFromCb),
            component(luma - u * coefficients.greenFromCb - v * coefficients.greenFromCr),
            component(luma + v * coefficients.redFromCr)
        )
    }
}

extension PreviewScaler.Coefficients {
    /// The smallest width of high definition, and the largest height of standard definition.
    private static let highDefinitionWidth = 1280, standardDefinitionHeight = 576

    /// Creates the coefficients for a picture.
    ///
    /// If the stream does not state the matrix, the choice depends on the size, as in `ImageGenerator`, so that the
    /// preview and the poster have the same colours.
    ///
    /// - Parameters:
    ///   - matrix: The matrix that the stream states.
    ///   - size: The size of the picture.
    init(matrix: PixelBuffer.ColorMatrix, size: PixelSize) {
        switch matrix {
        case .bt470BG, .smpte170M: self = .bt601
        case .unspecified
        where size.width < Self.highDefinitionWidth && size.height <= Self.standardDefinitionHeight:
            self = .bt601
        default: self = .bt709
        }
    }
}
