import SharedFrames
import WireFormat

/// The boxes (rectangles of pixels) of an overlay. Always valid: the initialisers reject invalid boxes.
///
/// The pixels are in a memory file: contiguous premultiplied BGRA, one box after another.
package struct OverlayShape: Equatable, Sendable {
    /// The size of the window for which the overlay was made, in pixels.
    package let size: PixelSize
    /// The boxes, in pixels of the window.
    package let rects: [PixelRect]

    /// The maximum number of boxes in an overlay.
    package static let rectLimit = 64
    /// The maximum total size of an overlay's pixels, in bytes.
    package static let byteLimit = 64 << 20

    /// Creates an overlay; returns `nil` if a box is empty or outside the window, or a limit is exceeded.
    package init?(size: PixelSize, rects: [PixelRect]) {
        guard (1...16384).contains(size.width), (1...16384).contains(size.height),
            (1...Self.rectLimit).contains(rects.count)
        else { return nil }
        var totalBytes = 0
        for rect in rects {
            guard rect.x >= 0, rect.y >= 0, rect.width > 0, rect.height > 0, rect.x <= size.width,
                rect.y <= size.height,
                rect.width <= size.width - rect.x, rect.height <= size.height - rect.y
            else { return nil }
            totalBytes += rect.width * rect.height * 4
            guard totalBytes <= Self.byteLimit else { return nil }
        }
        self.size = size
        self.rects = rects
    }

    /// The total size of the overlay's pixels, in bytes.
    package var byteCount: Int { rects.reduce(0) { $0 + $1.width * $1.height * 4 } }

    /// Appends the window's size and the boxes to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(UInt32(size.width))
        writer.write(UInt32(size.height))
        writer.write(UInt8(rects.count))
        for rect in rects {
            writer.write(UInt32(rect.x))
            writer.write(UInt32(rect.y))
            writer.write(UInt32(rect.width))
            writer.write(UInt32(rect.height))
        }
    }

    /// Reads the boxes from a message and validates them.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        let size = PixelSize(width: Int(try reader.read(UInt32.self)), height: Int(try reader.read(UInt32.self)))
        let rectCount = try reader.read(UInt8.self)
        guard rectCount <= Self.rectLimit else { throw MalformedMessage("too many boxes in an overlay") }
        var rects: [PixelRect] = []
        for _ in 0..<rectCount {
            rects.append(
                PixelRect(
                    x: Int(try reader.read(UInt32.self)), y: Int(try reader.read(UInt32.self)),
                    width: Int(try reader.read(UInt32.self)),
                    height: Int(try reader.read(UInt32.self))))
        }
        guard let shape = OverlayShape(size: size, rects: rects) else {
            throw MalformedMessage("an overlay has boxes that are out of bounds")
        }
        self = shape
    }
}
