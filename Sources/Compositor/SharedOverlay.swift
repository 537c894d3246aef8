import CompositorProtocol
import SharedFrames
import SystemCalls
import VideoOutput
import WireFormat

/// What a program wants to lie over its picture: its memory, read-only and checked. The compositor's one thread.
final class SharedOverlay {
    private let shape: OverlayShape
    private let mapping: Mapping

    init(_ shape: OverlayShape, descriptor: SharedDescriptor) throws(MalformedMessage) {
        self.shape = shape
        do {
            // Whole pages, and no more than it says.
            let file = try MemoryFile(
                received: FileDescriptor(duplicating: descriptor.raw), minimumSize: shape.byteCount, maximumSize: OverlayShape.byteLimit + 4096)
            mapping = try file.map(writable: false)
        } catch { throw MalformedMessage("\(error)") }
    }

    /// Lays it over BGRX pixels; not over a window of another size than it was made for, which gets another soon.
    func draw(_ pixels: UnsafeMutableRawPointer, _ size: PixelSize, _ stride: Int) {
        guard size == shape.size else { return }
        var offset = 0
        for rect in shape.rects {
            OverlayBlender.blend(UnsafeRawPointer(mapping.base + offset), rect, into: pixels, size: size, stride: stride)
            offset += rect.width * rect.height * 4
        }
    }
}
