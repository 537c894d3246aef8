/// The mapping from device frames to stream frames. Inserted silence does not advance the stream.
///
/// Device frames are counted from the creation of the renderer, stream frames as in ``SampleRing``. At most
/// ``capacity`` segments are kept, more than a device buffer can contain; the oldest are removed. Render thread only.
package final class PositionMap {
    /// A range of consecutive device frames that contains either consecutive stream frames or silence.
    package struct Segment: Equatable {
        /// The device frame at which the segment starts.
        package var deviceFrame: Int
        /// The stream frame that is played at the first device frame of the segment.
        package var streamFrame: Int
        /// Whether the segment contains frames of the stream; false for silence, during which the stream waits.
        package var advancesStream: Bool
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
        segments.initialize(
            repeating: Segment(deviceFrame: 0, streamFrame: 0, advancesStream: false), count: Self.capacity)
    }

    deinit { segments.deallocate() }

    /// Returns segment `i`, counted from the oldest.
    private func segment(_ i: Int) -> Segment { segments[(oldestIndex + i) % Self.capacity] }

    /// Resets the mapping: all device frames from `deviceFrame` on are silence at stream frame `streamFrame`.
    package func reset(deviceFrame: Int, streamFrame: Int) {
        oldestIndex = 0
        count = 1
        segments[0] = Segment(deviceFrame: deviceFrame, streamFrame: streamFrame, advancesStream: false)
    }

    /// Sets the content of the device frames from `deviceFrame` on: stream frames from `streamFrame` on, or silence.
    /// Content that continues the last segment adds no segment.
    package func append(deviceFrame: Int, streamFrame: Int, advancesStream: Bool) {
        let lastSegment = segment(count - 1)
        let continuation =
            lastSegment.streamFrame + (lastSegment.advancesStream ? deviceFrame - lastSegment.deviceFrame : 0)
        if lastSegment.advancesStream == advancesStream, continuation == streamFrame { return }
        if lastSegment.deviceFrame == deviceFrame {
            segments[(oldestIndex + count - 1) % Self.capacity] = Segment(
                deviceFrame: deviceFrame, streamFrame: streamFrame, advancesStream: advancesStream)
            return
        }
        if count == Self.capacity { removeFirst() }
        segments[(oldestIndex + count) % Self.capacity] = Segment(
            deviceFrame: deviceFrame, streamFrame: streamFrame, advancesStream: advancesStream)
        count += 1
    }

    /// Removes the segments before device frame `deviceFrame`, which is audible now.
    package func trim(heard deviceFrame: Int) {
        while count > 1, segment(1).deviceFrame <= deviceFrame { removeFirst() }
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
    package func streamFrame(at deviceFrame: Int) -> Int {
        var i = count - 1
        while i > 0, segment(i).deviceFrame > deviceFrame { i -= 1 }
        let segment = segment(i)
        guard segment.advancesStream else { return segment.streamFrame }
        return segment.streamFrame + max(0, deviceFrame - segment.deviceFrame)
    }
}
