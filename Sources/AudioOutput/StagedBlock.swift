/// The rendered frames that wait for room in the device: at most one period. Render thread only.
package final class StagedBlock {
    package let samples: UnsafeMutablePointer<Float>
    /// The capacity in frames.
    package let capacity: Int
    private let channels: Int
    private var offset = 0
    private var count = 0
    /// The ring index of the first remaining frame; nil for silence.
    package private(set) var stream: Int?

    package init(channels: Int, capacity: Int) {
        self.channels = channels
        self.capacity = capacity
        samples = .allocate(capacity: channels * capacity)
        samples.initialize(repeating: 0, count: channels * capacity)
    }

    deinit { samples.deallocate() }

    package var framesLeft: Int { count - offset }
    package var next: UnsafePointer<Float> { UnsafePointer(samples + offset * channels) }

    /// Records that `samples` contains `frames` frames, from `stream` or silent.
    package func fill(frames: Int, stream: Int?) {
        offset = 0
        count = frames
        self.stream = stream
    }

    /// Removes frames that were written.
    package func consume(_ frames: Int) {
        offset += frames
        if let stream { self.stream = stream + frames }
    }

    /// Silences the remaining frames.
    package func silence() { (samples + offset * channels).update(repeating: 0, count: framesLeft * channels) }

    package func clear() { fill(frames: 0, stream: nil) }
}
