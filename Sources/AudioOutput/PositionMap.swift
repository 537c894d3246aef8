/// The mapping from device frames to stream frames. Inserted silence does not advance the stream.
///
/// Device frames are counted over the life of the device, stream frames as in ``SampleRing``. A fixed number of pieces
/// is kept, more than a device buffer can contain; the oldest are removed. Render thread only.
package final class PositionMap {
    package struct Piece: Equatable {
        /// The first device frame.
        package var device: Int
        /// The stream frame at that device frame.
        package var stream: Int
        /// Whether the stream advances with the device, or waits during silence.
        package var advances: Bool
    }

    private static let capacity = 64
    private let pieces: UnsafeMutablePointer<Piece>
    private var first = 0
    private var count = 1

    package init() {
        pieces = .allocate(capacity: Self.capacity)
        pieces.initialize(repeating: Piece(device: 0, stream: 0, advances: false), count: Self.capacity)
    }

    deinit { pieces.deallocate() }

    private func piece(_ i: Int) -> Piece { pieces[(first + i) % Self.capacity] }

    /// Resets the mapping: from `device` on, the stream waits at `stream`.
    package func reset(device: Int, stream: Int) {
        first = 0
        count = 1
        pieces[0] = Piece(device: device, stream: stream, advances: false)
    }

    /// Sets the content of the device frames from `device` on. Content that continues adds no piece.
    package func append(device: Int, stream: Int, advances: Bool) {
        let last = piece(count - 1)
        let expected = last.stream + (last.advances ? device - last.device : 0)
        if last.advances == advances, expected == stream { return }
        if last.device == device {
            pieces[(first + count - 1) % Self.capacity] = Piece(device: device, stream: stream, advances: advances)
            return
        }
        if count == Self.capacity { forgetFirst() }
        pieces[(first + count) % Self.capacity] = Piece(device: device, stream: stream, advances: advances)
        count += 1
    }

    /// Removes the pieces before `device`, the audible frame.
    package func trim(heard device: Int) {
        while count > 1, piece(1).device <= device { forgetFirst() }
    }

    private func forgetFirst() {
        first = (first + 1) % Self.capacity
        count -= 1
    }

    /// The audible piece, after ``trim(heard:)``.
    package var current: Piece { piece(0) }
    /// The next piece; the current one if there is none.
    package var next: Piece { piece(count > 1 ? 1 : 0) }

    /// Returns the stream frame at a device frame.
    package func stream(at device: Int) -> Int {
        var i = count - 1
        while i > 0, piece(i).device > device { i -= 1 }
        let piece = piece(i)
        guard piece.advances else { return piece.stream }
        return piece.stream + max(0, device - piece.device)
    }
}
