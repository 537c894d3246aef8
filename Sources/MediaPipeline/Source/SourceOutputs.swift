import SystemCalls

/// The output queues of a ``LocalMediaSource``, which its decoders fill.
final class SourceOutputs: Sendable {
    /// The queue of decoded frames.
    let video: BoundedQueue<DecodedVideo>
    /// The queue of decoded audio blocks.
    let audio: BoundedQueue<DecodedAudio>
    /// The queues of decoded subtitle events of the two layers.
    private let primarySubtitles, secondarySubtitles: BoundedQueue<SubtitleItem>
    /// The queue of the events of the item.
    let events: BoundedQueue<MediaEvent>

    /// The maximum number of bytes of decoded subtitles in the queue of one layer.
    private static let subtitleLimit = 8 << 20
    /// The number of queued events at which the queue is full, so that further warnings are dropped.
    private static let eventLimit = 64

    init(_ configuration: MediaSourceConfiguration, arrival: EventDescriptor, audioArrival: EventDescriptor) {
        video = BoundedQueue(limit: configuration.frameLimit, arrival: arrival)
        audio = BoundedQueue(limit: configuration.audioLimit, arrival: audioArrival)
        primarySubtitles = BoundedQueue(limit: Self.subtitleLimit)
        secondarySubtitles = BoundedQueue(limit: Self.subtitleLimit)
        events = BoundedQueue(limit: Self.eventLimit, arrival: arrival)
    }

    /// Reports an event. Warnings and failed requests are dropped while the queue is full, because a damaged file or a
    /// server may produce many of them.
    func report(_ event: MediaEvent) {
        switch event {
        case .warning, .requestFailed: if events.count >= events.limit { return }
        default: break
        }
        _ = events.pushWithoutWaiting(event, cost: 1, generation: 0)
    }

    /// Reports a checksum as an event; waits for space in the queue. Each checksum costs 2, so that checksums fill at
    /// most half of the queue and warnings still fit.
    func report(decoded checksum: AudioChecksum) { _ = events.push(.audioDecoded(checksum), cost: 2, generation: 0) }

    /// Enqueues audio; waits for space in the audio queue.
    ///
    /// - Returns: false if a newer seek or closing has made the item obsolete.
    func deliver(_ item: DecodedAudio, _ generation: UInt32) -> Bool {
        let cost: Int =
            if case .block(let block) = item { block.frameCount * 1_000_000_000 / max(block.rate, 1) } else { 0 }
        return audio.push(item, cost: cost, generation: generation)
    }

    /// Returns the queue of decoded subtitle events of a layer.
    func subtitles(_ layer: SubtitleLayer) -> BoundedQueue<SubtitleItem> {
        switch layer {
        case .primary: primarySubtitles
        case .secondary: secondarySubtitles
        }
    }

    /// Enqueues subtitles; waits for space in the layer's queue.
    ///
    /// - Returns: false if another selection or closing has made the item obsolete.
    func deliver(_ item: SubtitleItem, _ layer: SubtitleLayer, _ generation: UInt32) -> Bool {
        let cost: Int = if case .events(let events) = item { events.reduce(0) { $0 + $1.cost } } else { 0 }
        return subtitles(layer).push(item, cost: cost, generation: generation)
    }

    /// Empties and closes all queues, which wakes all waiting threads.
    func close() {
        video.close()
        audio.close()
        primarySubtitles.close()
        secondarySubtitles.close()
        events.close()
    }
}
