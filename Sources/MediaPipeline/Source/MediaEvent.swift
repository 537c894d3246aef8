/// An event of a ``MediaSource``.
package enum MediaEvent: Sendable {
    case opened(MediaInfo)
    /// The item cannot be played, or cannot be played further.
    case failed(MediaError)
    /// A seek failed; the item continues at its current position.
    case seekFailed(generation: UInt32, MediaError)
    /// The end was read: the measured duration in nanoseconds, which may differ from the container's.
    case durationKnown(Int64)
    /// A track failed; the other track continues.
    case trackFailed(Track, MediaError)
    /// An error that does not stop reading.
    case warning(MediaError)
    /// Reading ended with an error before the end of the container; packets read before it are still played.
    case readingStopped(MediaError)

    /// A block of audio was decoded; sent only if ``MediaSourceConfiguration/takesSoundChecksums`` is set. All these
    /// events precede the `.end` of the audio.
    case soundDecoded(SoundChecksum)

    package enum Track: Sendable { case video, audio }
}
