import SharedFrames
import WireFormat

/// What lies over a picture, as far as a message says it: the boxes' pixels, premultiplied BGRA without gaps, come one
/// after another in a memory file. Sound once it exists.
package struct OverlayShape: Equatable, Sendable {
    /// Pixels of the window that it was made for.
    package let size: PixelSize
    package let rects: [PixelRect]

    package static let boxLimit = 64
    package static let byteLimit = 64 << 20

    /// nil when a box is empty or lies outside, or when there are too many, or too large ones.
    package init?(size: PixelSize, rects: [PixelRect]) {
        guard (1...16384).contains(size.width), (1...16384).contains(size.height),
            (1...Self.boxLimit).contains(rects.count)
        else { return nil }
        var bytes = 0
        for rect in rects {
            guard rect.x >= 0, rect.y >= 0, rect.width > 0, rect.height > 0, rect.x <= size.width,
                rect.y <= size.height,
                rect.width <= size.width - rect.x, rect.height <= size.height - rect.y
            else { return nil }
            bytes += rect.width * rect.height * 4
            guard bytes <= Self.byteLimit else { return nil }
        }
        self.size = size
        self.rects = rects
    }

    package var byteCount: Int { rects.reduce(0) { $0 + $1.width * $1.height * 4 } }

    func write(to w: inout MessageWriter) {
        w.write(UInt32(size.width))
        w.write(UInt32(size.height))
        w.write(UInt8(rects.count))
        for rect in rects {
            w.write(UInt32(rect.x))
            w.write(UInt32(rect.y))
            w.write(UInt32(rect.width))
            w.write(UInt32(rect.height))
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        let size = PixelSize(width: Int(try r.read(UInt32.self)), height: Int(try r.read(UInt32.self)))
        let count = try r.read(UInt8.self)
        guard count <= Self.boxLimit else { throw MalformedMessage("too many boxes in an overlay") }
        var rects: [PixelRect] = []
        for _ in 0..<count {
            rects.append(
                PixelRect(
                    x: Int(try r.read(UInt32.self)), y: Int(try r.read(UInt32.self)),
                    width: Int(try r.read(UInt32.self)),
                    height: Int(try r.read(UInt32.self))))
        }
        guard let shape = OverlayShape(size: size, rects: rects) else {
            throw MalformedMessage("an overlay whose boxes are out of bounds")
        }
        self = shape
    }
}
