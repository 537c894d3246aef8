/// A block of frames that were rendered and wait for room in the device: at most one period. Render thread only.
package final class StagedBlock {
    /// The memory of the block: interleaved samples.
    package let samples: UnsafeMutablePointer<Float>
    /// The capacity in frames.
    package let capacity: Int
    private let channels: Int
    /// The number of frames in the block that were already written to the device.
    private var writtenFrames = 0
    /// The number of rendered frames in the block, written or not.
    private var renderedFrames = 0
    /// The ring index of the first frame that still waits for the device; nil for silence.
    package private(set) var ringIndex: Int?

    package init(channels: Int, capacity: Int) {
        self.channels = channels
        self.capacity = capacity
        samples = .allocate(capacity: channels * capacity)
        samples.initialize(repeating: 0, count: channels * capacity)
    }

    deinit { samples.deallocate() }

    /// The number of frames that still wait for room in the device.
    package var framesLeft: Int { renderedFrames - writtenFrames }
    /// The address of the first frame that still waits for room in the device.
    package var nextFrame: UnsafePointer<Float> { UnsafePointer(samples + writtenFrames * channels) }

    /// Records that ``samples`` contains `frames` new frames.
    ///
    /// - Parameter ringIndex: The ring index of the first frame; nil for silence.
    package func fill(frames: Int, ringIndex: Int?) {
        writtenFrames = 0
        renderedFrames = frames
        self.ringIndex = ringIndex
    }

    /// Removes `frames` frames from the start of the block, because they were written to the device.
    package func consume(_ frames: Int) {
        writtenFrames += frames
        if let ringIndex { self.ringIndex = ringIndex + frames }
    }

    /// Replaces the frames that still wait with silence.
    package func silence() { (samples + writtenFrames * channels).update(repeating: 0, count: framesLeft * channels) }

    /// Discards all frames in the block.
    package func clear() { fill(frames: 0, ringIndex: nil) }
}
