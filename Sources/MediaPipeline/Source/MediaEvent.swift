import HTTPTransfer

/// An event of a ``MediaSource``.
package enum MediaEvent: Sendable {
    /// The item is open, with the information that its container states.
    case opened(MediaInfo)
    /// The item cannot be played, or cannot be played further.
    case failed(MediaError)
    /// A seek failed; the item continues at its current position.
    case seekFailed(generation: UInt32, MediaError)
    /// The end of the item was read. The value is the measured duration in nanoseconds, which may differ from the
    /// duration that the container states.
    case durationKnown(Int64)
    /// The video or audio track failed; the other track continues.
    case trackFailed(Track, MediaError)
    /// An error after which reading and playback continue.
    case warning(MediaError)
    /// Reading ended with an error before the end of the container; packets read before it are still played.
    case readingStopped(MediaError)
    /// A request to a server failed. It may be repeated, or another variant may replace it; errors that affect playback
    /// follow as other events.
    case requestFailed(TransferFailure)
    /// The variant that is downloaded has changed: ``MediaSource/downloads`` has a new element.
    case variantChanged
    /// A separate audio file was opened; the tracks are its audio tracks.
    ///
    /// - Parameter isSelected: Whether the first of the tracks is to be played.
    case audioFileAdded([MediaTrack], isSelected: Bool)
    /// Playback of a live stream fell behind the segments that the server keeps. Packets that were already read are
    /// still played, and then the tracks end. To continue, seek to the position `resumingAt`, in nanoseconds on the
    /// item's timeline.
    ///
    /// - Parameter isImmediate: Whether to seek at once, because playback was paused for long.
    case fellBehind(resumingAt: Int64, isImmediate: Bool)

    /// A block of audio was decoded; sent only if ``MediaSourceConfiguration/audioChecksumHash`` is set. All
    /// these events precede the item `.end` of the audio queue.
    case audioDecoded(AudioChecksum)

    /// The track that failed.
    package enum Track: Sendable { case video, audio }
}
