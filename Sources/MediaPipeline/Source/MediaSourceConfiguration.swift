/// How a ``MediaSource`` opens an item, and what it gives. Values only: it can be sent to another process.
package struct MediaSourceConfiguration: Sendable {
    package var policy = OpenPolicy()
    package var tracks = TrackChoice()
    /// Tracks that are not chosen are read as well, so that choosing one needs no seek.
    package var readsOtherTracks = true
    /// Files of subtitles, and where else to search for some.
    package var subtitleFiles: [String] = []
    package var subtitleSearch = SubtitleFinder.Search.no
    /// Frames decoded ahead of the one that is shown, until the player knows their size.
    package var frameLimit = 2
    /// Nanoseconds of sound decoded ahead.
    package var soundLimit = 600_000_000
    /// nil: what suits the picture.
    package var decoderThreads: Int?
    /// Sound comes out as blocks. Otherwise it is only decoded, for its checksums or because there is nothing else, and
    /// its end reported.
    package var givesSound = true
    /// Each decoded block of sound is reported as an event (``MediaEvent/soundDecoded(_:)``).
    package var takesSoundChecksums = false
    package var deinterlacing = Deinterlacing.automatic
    /// Each frame says what was decoded for it (``VideoFrame/decoded``).
    package var takesChecksums = false
    /// How far is read ahead; nil: as far as suits a file, or an address.
    package var packetLimit: PacketBuffer.Limit?
    package init() {}
}
