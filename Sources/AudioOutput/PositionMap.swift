/// The mapping from device frames to stream frames. Inserted silence does not advance the stream.
///
/// Device frames are counted from the creation of the renderer, stream frames as in ``SampleRing``. At most
/// ``capacity`` segments are kept, more than a device buffer can contain; the oldest are removed. Render thread only.
package final class PositionMap {
    /// A range of consecutive device frames that contains either consecutive stream frames or silence.
    package struct Segment: Equatable {
        /// The device frame at which the segment starts.
        package var device: Int
        /// The stream frame that is played at the first device frame of the segment.
        package var stream: Int
        /// Whether the segment contains frames of the stream; false for silence, during which the stream waits.
        package var advances: Bool
    }

    /// The maximum number of segments that are kept.
    private static let capacity = 64
    /// The segments, as a circular buffer.
    private let segments: UnsafeMutablePointer<Segment>
    /// The index of the oldest segment in the circular buffer.
    private var oldestIndex = 0
    /// The number of segments.
    private var count = 1

    package init() {
        segments = .allocate(capacity: Self.capacity)
        segments.initialize(repeating: Segment(device: 0, stream: 0, advances: false), count: Self.capacity)
    }

    deinit { segments.deallocate() }

    /// Returns segment `i`, counted from the oldest.
    private func segment(_ i: Int) -> Segment { segments[(oldestIndex + i) % Self.capacity] }

    /// Resets the mapping: all device frames from `device` on are silence at stream frame `stream`.
    package func reset(device: Int, stream: Int) {
        oldestIndex = 0
        count = 1
        segments[0] = Segment(device: device, stream: stream, advances: false)
    }

    /// Sets the content of the device frames from `device` on: stream frames from `stream` on, or silence. Content that
    /// continues the last segment adds no segment.
    package func append(device: Int, stream: Int, advances: Bool) {
        let lastSegment = segment(count - 1)
        let continuation = lastSegment.stream + (lastSegment.advances ? device - lastSegment.device : 0)
        if lastSegment.advances == advances, continuation == stream { return }
        if lastSegment.device == device {
            segments[(oldestIndex + count - 1) % Self.capacity] = Segment(
                device: device, stream: stream, advances: advances)
            return
        }
        if count == Self.capacity { removeFirst() }
        segments[(oldestIndex + count) % Self.capacity] = Segment(device: device, stream: stream, advances: advances)
        count += 1
    }

    /// Removes the segments before device frame `device`, which is audible now.
    package func trim(heard device: Int) {
        while count > 1, segment(1).device <= device { removeFirst() }
    }

    /// Removes the oldest segment.
    private func removeFirst() {
        oldestIndex = (oldestIndex + 1) % Self.capacity
        count -= 1
    }

    /// The segment that is audible. Valid after ``trim(heard:)``.
    package var currentSegment: Segment { segment(0) }
    /// The segment after the audible segment; the audible segment if it is the last.
    package var nextSegment: Segment { segment(count > 1 ? 1 : 0) }

    /// Returns the stream frame that is played at a device frame.
    package func stream(at device: Int) -> Int {
        var i = count - 1
        while i > 0, segment(i).device > device { i -= 1 }
        let segment = segment(i)
        guard segment.advances else { return segment.stream }
        return segment.stream + max(0, device - segment.device)
    }
}
