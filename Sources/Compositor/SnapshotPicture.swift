import CCairo
import CompositorProtocol
import SharedFrames
import SystemCalls

/// The pixels of a program's picture, copied from the program's memory.
struct SnapshotPicture: Equatable, Sendable {
    let size: PixelSize
    /// The rows without padding, four bytes each: blue, green, red, and 255.
    let pixels: [UInt32]
    /// A digest of the pixels and the title.
    let digest: UInt64

    /// Copies a picture from memory that the program may change at the same time.
    ///
    /// - Throws: ``SystemCallError`` if the memory is not sealed, too small or too large.
    init(
        _ layout: SnapshotShape.Layout, title: String, descriptor: consuming FileDescriptor
    ) throws(SystemCallError) {
        let file = try MemoryFile(
            received: descriptor, minimumSize: layout.requiredSize, maximumSize: SnapshotShape.maximumFileSize)
        let mapping = try file.map(writable: false)
        var pixels: [UInt32] = []
        pixels.reserveCapacity(layout.size.width * layout.size.height)
        var digest = SnapshotFile.hash(title.utf8)
        for y in 0..<layout.size.height {
            for x in 0..<layout.size.width {
                let pixel = mapping.base.load(fromByteOffset: y * layout.stride + x * 4, as: UInt32.self) | 0xFF00_0000
                pixels.append(pixel)
                digest = (digest ^ UInt64(pixel)) &* 0x100_0000_01B3
            }
        }
        (size, self.pixels, self.digest) = (layout.size, pixels, digest)
    }

    /// Returns a PNG image; nil if Cairo cannot create it.
    func encoded() -> [UInt8]? {
        var pixels = pixels
        return pixels.withUnsafeMutableBytes { buffer -> [UInt8]? in
            let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let surface = cairo_image_surface_create_for_data(
                start, CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height), Int32(size.width * 4))
            defer { cairo_surface_destroy(surface) }
            var output = Output()
            let status = withUnsafeMutablePointer(to: &output) { output in
                cairo_surface_write_to_png_stream(
                    surface,
                    { output, bytes, count in
                        guard let output = output?.assumingMemoryBound(to: Output.self), let bytes else {
                            return CAIRO_STATUS_WRITE_ERROR
                        }
                        return output.pointee.append(UnsafeBufferPointer(start: bytes, count: Int(count)))
                    }, output)
            }
            return status == CAIRO_STATUS_SUCCESS ? output.bytes : nil
        }
    }

    /// The bytes that Cairo has written.
    private struct Output {
        var bytes: [UInt8] = []

        /// Appends bytes, unless the image becomes too large.
        mutating func append(_ newBytes: UnsafeBufferPointer<UInt8>) -> cairo_status_t {
            guard bytes.count + newBytes.count <= SnapshotFile.maximumSize else { return CAIRO_STATUS_WRITE_ERROR }
            bytes += newBytes
            return CAIRO_STATUS_SUCCESS
        }
    }
}
