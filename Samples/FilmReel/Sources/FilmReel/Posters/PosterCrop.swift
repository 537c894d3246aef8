/// The part of a picture that a poster shows: the largest centred part with the poster's aspect ratio.
struct PosterCrop: Equatable {
    /// The size of the picture.
    let source: PixelSize
    /// The size of the poster.
    let tile: PixelSize
    /// The aspect ratio of a sample of the picture: its width and height in any unit.
    var sampleAspect = PixelSize(width: 1, height: 1)

    /// The size of the shown part of the picture.
    var part: PixelSize {
        // The aspect ratio of the poster in samples of the picture.
        let width = tile.width * sampleAspect.height, height = tile.height * sampleAspect.width
        // Compare the aspect ratios without division.
        return source.width * height > source.height * width
            ? PixelSize(width: max(1, source.height * width / height), height: source.height)
            : PixelSize(width: source.width, height: max(1, source.width * height / width))
    }

    /// Returns the pixels of the poster: rows of BGRX pixels without padding.
    ///
    /// - Parameters:
    ///   - bytes: The rows of BGRX pixels of the picture.
    ///   - bytesPerRow: The number of bytes from one row of the picture to the next.
    func pixels(of bytes: UnsafeRawBufferPointer, bytesPerRow: Int) -> [UInt8] {
        let part = part, left = (source.width - part.width) / 2, top = (source.height - part.height) / 2
        let columns = (0..<tile.width).map { left + $0 * part.width / tile.width }
        let rowBytes = tile.width * PosterMaker.bytesPerPixel
        return [UInt8](unsafeUninitializedCapacity: rowBytes * tile.height) { pixels, count in
            let target = UnsafeMutableRawBufferPointer(pixels)
            for row in 0..<tile.height {
                let start = (top + row * part.height / tile.height) * bytesPerRow
                for (column, sourceColumn) in columns.enumerated() {
                    let pixel = bytes.loadUnaligned(
                        fromByteOffset: start + sourceColumn * PosterMaker.bytesPerPixel, as: UInt32.self)
                    target.storeBytes(
                        of: pixel, toByteOffset: row * rowBytes + column * PosterMaker.bytesPerPixel, as: UInt32.self)
                }
            }
            count = target.count
        }
    }
}
