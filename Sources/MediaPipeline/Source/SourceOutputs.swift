import SystemCalls

/// The producer's end of a ``LocalMediaSource``'s queues.
final class SourceOutputs: Sendable {
    let video: BoundedQueue<VideoItem>
    let audio: BoundedQueue<AudioItem>
    let subtitles: BoundedQueue<SubtitleItem>
    let events: BoundedQueue<MediaEvent>

    /// The maximum number of bytes of decoded subtitles in the queue.
    private static let subtitleLimit = 8 << 20
    private static let eventLimit = 64

    init(_ configuration: MediaSourceConfiguration, arrival: EventDescriptor, soundArrival: EventDescriptor) {
        video = BoundedQueue(limit: configuration.frameLimit, arrival: arrival)
        audio = BoundedQueue(limit: configuration.soundLimit, arrival: soundArrival)
        subtitles = BoundedQueue(limit: Self.subtitleLimit)
        events = BoundedQueue(limit: Self.eventLimit, arrival: arrival)
    }

    /// Reports an event. Warnings are dropped while the queue is full, because a damaged file may produce one for each
    /// packet.
    func report(_ event: MediaEvent) {
        if case .warning = event, events.count >= events.limit { return }
        _ = events.pushWithoutWaiting(event, cost: 1, generation: 0)
    }

    /// Reports a checksum; waits for space. Each checksum costs 2, so that half of the queue is left for other events.
    func report(decoded checksum: SoundChecksum) { _ = events.push(.soundDecoded(checksum), cost: 2, generation: 0) }

    /// - Returns: false if the block is no longer needed.
    func deliver(_ item: AudioItem, _ generation: UInt32) -> Bool {
        let cost: Int =
            if case .block(let block) = item { block.frameCount * 1_000_000_000 / max(block.rate, 1) } else { 0 }
        return audio.push(item, cost: cost, generation: generation)
    }

    /// - Returns: false if the item is no longer needed.
    func deliver(_ item: SubtitleItem, _ generation: UInt32) -> Bool {
        let cost: Int = if case .events(let events) = item { events.reduce(0) { $0 + $1.cost } } else { 0 }
        return subtitles.push(item, cost: cost, generation: generation)
    }

    func close() {
        video.close()
        audio.close()
        subtitles.close()
        events.close()
    }
}
