/// A segment of a media playlist (RFC 8216, section 3).
package struct MediaSegment: Sendable, Equatable {
    /// The Boolean properties of a segment.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// An `EXT-X-DISCONTINUITY` tag precedes the segment.
        package static let discontinuity = Flags(rawValue: 1)
        /// The segment is missing on the server (`EXT-X-GAP`).
        package static let gap = Flags(rawValue: 2)
        /// The playlist states the segment's date (`EXT-X-PROGRAM-DATE-TIME`); without this flag, the date is computed
        /// from neighbouring segments.
        package static let hasProgramDateTime = Flags(rawValue: 4)
        /// The segment is the last one of a DASH period, which ends with the segment's stated duration.
        package static let endsPeriod = Flags(rawValue: 8)
    }

    /// The media sequence number of the segment.
    package var number: Int
    /// The discontinuity sequence number: the timestamps of segments with the same number use the same clock (RFC 8216,
    /// section 6.2.4).
    package var discontinuity: Int
    /// The duration of the segment in nanoseconds.
    package var duration: Int64
    /// The address of the resource that contains the segment.
    package let address: PlaylistAddress
    /// The part of the resource that is the segment; nil for the whole resource.
    package let byteRange: ByteRange?
    /// The wall-clock time of the first sample, in nanoseconds since 1970; nil if unknown.
    package var date: Int64?
    /// The bit rate in bits per second (`EXT-X-BITRATE`); nil if unknown.
    package let bitrate: Int?
    /// The Boolean properties that apply to the segment.
    package var flags: Flags
    /// The storage of ``key``, shared with other segments.
    package let sharedKey: SharedValue<EncryptionKey>?
    /// The storage of ``initialization``, shared with other segments.
    package let sharedInitialization: SharedValue<InitializationSection>?
    /// The time at which the segment starts, in nanoseconds on the clock of the segment's timestamps. Only DASH
    /// manifests state it; nil if the first timestamp in the segment determines it.
    package var mediaTime: Int64?
    /// The time at which the segment's DASH period starts (`presentationTimeOffset`), in nanoseconds on the clock of
    /// the segment's timestamps. The video and the audio of a period may have different values.
    package var mediaTimeOrigin: Int64 = 0

    /// Creates a segment.
    package init(
        number: Int, discontinuity: Int, duration: Int64, address: PlaylistAddress, byteRange: ByteRange?, date: Int64?,
        bitrate: Int?, flags: Flags, sharedKey: SharedValue<EncryptionKey>?,
        sharedInitialization: SharedValue<InitializationSection>?
    ) {
        (self.number, self.discontinuity, self.duration, self.address) = (number, discontinuity, duration, address)
        (self.byteRange, self.date, self.bitrate, self.flags) = (byteRange, date, bitrate, flags)
        (self.sharedKey, self.sharedInitialization) = (sharedKey, sharedInitialization)
    }

    /// The key with which the segment can be decrypted; nil if the segment is not encrypted. If the playlist states
    /// several keys, a key that is usable without DRM takes precedence.
    package var key: EncryptionKey? { sharedKey?.value }
    /// The bytes that a decoder needs before the segment; nil if there are none.
    package var initialization: InitializationSection? { sharedInitialization?.value }
    /// Whether an `EXT-X-DISCONTINUITY` tag precedes the segment.
    package var followsDiscontinuity: Bool { flags.contains(.discontinuity) }
    /// Whether the segment is missing on the server; it must not be requested.
    package var isGap: Bool { flags.contains(.gap) }

    /// Whether one demuxer can read this segment after `previous`, without a new initialization section or clock.
    package func continues(_ previous: MediaSegment) -> Bool {
        number - 1 == previous.number && discontinuity == previous.discontinuity && !isGap && !previous.isGap
            && sharedInitialization == previous.sharedInitialization
    }
}
