/// What a ``MediaSource`` reports.
package enum MediaEvent: Sendable {
    case opened(MediaInfo)
    /// Nothing (more) can be played.
    case failed(MediaError)
    /// The stream could not go to a sought place; it goes on from where it is.
    case seekFailed(generation: UInt32, MediaError)
    /// The end was read: the item is so long (nanoseconds), whatever the container said.
    case durationKnown(Int64)
    /// A track gave up; the other goes on.
    case trackFailed(Track, MediaError)
    /// Something failed, and reading goes on.
    case warning(MediaError)
    /// Reading ended with an error before the end of the container; what was read before is still played.
    case readingStopped(MediaError)

    /// A block of sound was decoded; only if ``MediaSourceConfiguration/takesSoundChecksums`` is set. All come before
    /// the `.end` of the sound.
    case soundDecoded(SoundChecksum)

    package enum Track: Sendable { case video, audio }
}
