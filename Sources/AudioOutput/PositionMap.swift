/// Which frame of the stream each frame of the device carries. Silence that was put in holds the stream's position
/// still.
///
/// Device frames are counted over the life of the device, stream frames as ``SampleRing`` counts them. A fixed number
/// of pieces is kept: more than any device buffer can hold, and if not, the oldest are forgotten. Render thread only.
package final class PositionMap {
    package struct Piece: Equatable {
        /// First device frame.
        package var device: Int
        /// Stream frame that is there.
        package var stream: Int
        /// Whether the stream moves with the device, or waits in silence.
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

    /// Forgets everything: from `device` on, the stream stands still at `stream`.
    package func reset(device: Int, stream: Int) {
        first = 0
        count = 1
        pieces[0] = Piece(device: device, stream: stream, advances: false)
    }

    /// Says what the frames from `device` on carry, until further notice. Frames that go on as before add nothing.
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

    /// Forgets the pieces that ended before `device`, which is now being heard.
    package func trim(heard device: Int) {
        while count > 1, piece(1).device <= device { forgetFirst() }
    }

    private func forgetFirst() {
        first = (first + 1) % Self.capacity
        count -= 1
    }

    /// The piece that is being heard, after ``trim(heard:)``.
    package var current: Piece { piece(0) }
    /// The piece after it; the current one where nothing else has been written.
    package var next: Piece { piece(count > 1 ? 1 : 0) }

    /// The stream frame at device frame `device`.
    package func stream(at device: Int) -> Int {
        var i = count - 1
        while i > 0, piece(i).device > device { i -= 1 }
        let piece = piece(i)
        guard piece.advances else { return piece.stream }
        return piece.stream + max(0, device - piece.device)
    }
}
