/// The configuration of a ``MediaSource``. Values only, so that it can be sent to another process.
package struct MediaSourceConfiguration: Sendable {
    package var policy = OpenPolicy()
    package var tracks = TrackChoice()
    /// Whether tracks that are not chosen are read too, so that choosing one needs no seek.
    package var readsOtherTracks = true
    /// The paths of subtitle files to add.
    package var subtitleFiles: [String] = []
    package var subtitleSearch = SubtitleFinder.Search.no
    /// The number of frames decoded ahead, until the player knows their size.
    package var frameLimit = 2
    /// The duration of audio decoded ahead, in nanoseconds.
    package var soundLimit = 600_000_000
    /// The number of video decoding threads; nil chooses by picture size.
    package var decoderThreads: Int?
    /// Whether audio blocks are delivered. If false, audio is decoded only for its checksums or if there is no video,
    /// and only its end is reported.
    package var givesSound = true
    /// Whether each decoded audio block is reported as an event (``MediaEvent/soundDecoded(_:)``).
    package var takesSoundChecksums = false
    package var deinterlacing = Deinterlacing.automatic
    /// Whether each frame contains the checksums of its decoded pictures (``VideoFrame/decoded``).
    package var takesChecksums = false
    /// The read-ahead limits; nil uses the defaults for a file or for the network.
    package var packetLimit: PacketBuffer.Limit?
    package init() {}
}
