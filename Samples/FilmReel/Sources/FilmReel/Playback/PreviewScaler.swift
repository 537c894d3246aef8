/// Converts planes of 8-bit YCbCr samples to the BGRX pixels of a poster.
struct PreviewScaler: Equatable {
    /// The crop that selects the shown part of the picture.
    let crop: PosterCrop
    /// The ratio of the sizes of luma and chroma planes: 1 or 2.
    let chromaScale: PixelSize
    /// Whether samples use all codes from 0 to 255 instead of the video range.
    let isFullRange: Bool

    /// A plane of 8-bit samples.
    struct Plane {
        let bytes: UnsafeRawBufferPointer
        let bytesPerRow: Int
    }

    /// The coefficients of ITU-R BT.709 for the conversion to RGB, times 2^16.
    private static let redFromCr = 103_206, greenFromCb = 12_276, greenFromCr = 30_679, blueFromCb = 121_609
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
            component(luma + u * Self.blueFromCb),
            component(luma - u * Self.greenFromCb - v * Self.greenFromCr),
            component(luma + v * Self.redFromCr)
        )
    }
}
