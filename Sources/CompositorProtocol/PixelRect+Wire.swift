import SharedFrames
import WireFormat

/// The encoding of a rectangle on a screen: x and y as i32 (a part may lie off the screen), width and height as u32.
extension PixelRect {
    /// Appends the rectangle to a message, in 16 bytes.
    func write(to writer: inout MessageWriter) {
        writer.write(Int32(clamping: x))
        writer.write(Int32(clamping: y))
        writer.write(UInt32(clamping: width))
        writer.write(UInt32(clamping: height))
    }

    /// Reads a rectangle from a message; rejects an empty rectangle, and one beyond the coordinates of X11.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        let x = try reader.read(Int32.self), y = try reader.read(Int32.self), width = try reader.read(UInt32.self),
            height = try reader.read(UInt32.self)
        // X11 coordinates are 16-bit integers.
        guard abs(Int(x)) <= Int(Int16.max), abs(Int(y)) <= Int(Int16.max), 1...16_384 ~= width, 1...16_384 ~= height
        else {
            throw MalformedMessage("a rectangle lies outside any screen")
        }
        self.init(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
    }
}
