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
    /// An error that stops neither reading nor playback.
    case warning(MediaError)
    /// Reading ended with an error before the end of the container; packets read before it are still played.
    case readingStopped(MediaError)

    /// A block of audio was decoded; sent only if ``MediaSourceConfiguration/computesAudioChecksums`` is set. All these
    /// events precede the `.end` of the audio.
    case audioDecoded(AudioChecksum)

    /// The track that failed.
    package enum Track: Sendable { case video, audio }
}
