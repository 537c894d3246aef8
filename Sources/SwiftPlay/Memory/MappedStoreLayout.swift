extension MappedStore {
    /// The size and format of the pictures of a store: one packed plane of rows.
    public struct Layout: Hashable, Sendable {
        /// The width in samples.
        public let width: Int
        /// The height in samples.
        public let height: Int
        /// The number of bytes from one row to the next.
        public let bytesPerRow: Int
        /// The layout of the samples in memory.
        public let pixelFormat: PixelBuffer.PixelFormat

        /// Creates the layout of pictures of up to 2^30 bytes. Other sizes fail a precondition.
        ///
        /// - Parameters:
        ///   - width: The width in samples, at least 1.
        ///   - height: The height in samples, at least 1.
        ///   - bytesPerRow: The number of bytes from one row to the next, at least 1. The store does not interpret the
        ///     rows.
        ///   - pixelFormat: The layout of the samples. Use the format in which the pictures are drawn.
        public init(width: Int, height: Int, bytesPerRow: Int, pixelFormat: PixelBuffer.PixelFormat = .bgra) {
            precondition(width > 0 && height > 0 && bytesPerRow > 0, "a picture has at least one byte")
            let (bytes, isTooLarge) = bytesPerRow.multipliedReportingOverflow(by: height)
            precondition(!isTooLarge && bytes <= 1 << 30, "a picture has at most 2^30 bytes")
            (self.width, self.height, self.bytesPerRow) = (width, height, bytesPerRow)
            self.pixelFormat = pixelFormat
        }

        /// The number of bytes of a picture.
        public var byteCount: Int { bytesPerRow * height }
    }
}
