import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// What a program wants to lie over its picture: its memory, read-only and checked. Used by its surface's thread.
final class SharedOverlay {
    private let shape: OverlayShape
    private let mapping: Mapping
    private let scaler = OverlayScaler()

    init(_ shape: OverlayShape, descriptor: SharedDescriptor) throws(MalformedMessage) {
        self.shape = shape
        do {
            // Whole pages, and no more than it says.
            let file = try MemoryFile(
                received: FileDescriptor(duplicating: descriptor.raw), minimumSize: shape.byteCount,
                maximumSize: OverlayShape.byteLimit + 4096)
            mapping = try file.map(writable: false)
        } catch { throw MalformedMessage("\(error)") }
    }

    /// Lays it over BGRX pixels. A window of another size than it was made for has it scaled: it is on its way, or gets
    /// another soon.
    ///
    /// - Parameter line: what begins in the lower half ends above it.
    func draw(_ pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int, above line: Int? = nil) {
        let lift = line.map { rowsToLift(above: $0, in: size) } ?? 0
        var offset = 0
        // A program may lay small boxes over all of the window many times: what takes more work than two of them is
        // left out.
        var room = 2 * size.width * size.height
        for rect in shape.rects {
            let box = UnsafeRawPointer(mapping.base + offset),
                area = OverlayScaler.area(of: rect, in: shape.size, shownIn: size)
            offset += rect.width * rect.height * 4
            let own = area.y >= size.height / 2 ? lift : 0
            guard size != shape.size else {
                let lifted = PixelRect(x: rect.x, y: rect.y - own, width: rect.width, height: rect.height)
                OverlayBlender.blend(box, lifted, into: pixels, size: size, stride: stride)
                continue
            }
            room -= area.width * area.height
            guard room >= 0 else { return }
            scaler.blend(box, rect, of: shape.size, lift: own, into: pixels, size: size, stride: stride)
        }
    }

    /// The rows by which what begins in the lower half has to go up; together, so that lines keep their distance.
    private func rowsToLift(above line: Int, in size: PixelSize) -> Int {
        shape.rects.reduce(0) { lift, rect in
            let area = OverlayScaler.area(of: rect, in: shape.size, shownIn: size)
            return area.y >= size.height / 2 ? max(lift, area.y + area.height - line) : lift
        }
    }
}
