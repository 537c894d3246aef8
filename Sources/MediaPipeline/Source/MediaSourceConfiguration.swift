/// The configuration of a ``MediaSource``. Contains only values, so that it can be sent to another process.
package struct MediaSourceConfiguration: Sendable {
    /// The files and addresses that the item may open.
    package var policy = OpenPolicy()
    /// The rules that select the played tracks.
    package var tracks = TrackChoice()
    /// Whether tracks that are not chosen are read too, so that choosing one needs no seek.
    package var readsOtherTracks = true
    /// The subtitle files to add to the item's tracks.
    package var subtitleFiles: [SubtitleFinder.File] = []
    /// The separate audio files whose tracks are added to the item's tracks.
    package var audioFiles: [AudioFile] = []
    /// The rule that selects subtitle files in the media file's folder to be added automatically.
    package var subtitleSearch = SubtitleFinder.Search.no
    /// The rule that selects the character set of subtitle files.
    package var subtitleCharacterSet = SubtitleCharacterSet.automatic
    /// The number of frames decoded ahead until the player sets a limit for their size (``MediaOutput/setLimit(_:)``).
    package var frameLimit = 2
    /// The duration of audio decoded ahead, in nanoseconds.
    package var audioLimit = 600_000_000
    /// The number of video decoding threads; nil chooses by picture size.
    package var decoderThreads: Int?
    /// The largest number of video decoding threads, if ``decoderThreads`` is nil; nil for no limit.
    package var decoderThreadLimit: Int?
    /// Whether audio blocks are delivered. If false, audio is decoded only for its checksums or if there is no video,
    /// and only its end is reported.
    package var decodesAudio = true
    /// The hash with which each decoded audio block is reported as an event (``MediaEvent/audioDecoded(_:)``); nil for
    /// no reports.
    package var audioChecksumHash: ChecksumHash?
    /// The rule that selects the pictures to deinterlace.
    package var deinterlacing = Deinterlacing.automatic
    /// The hash of the checksums of the decoded pictures that each frame contains (``VideoFrame/decodedPictures``); nil
    /// for no checksums.
    package var checksumHash: ChecksumHash?
    /// The read-ahead limits; nil uses the defaults for a file or for the network.
    package var packetLimit: PacketBuffer.Limit?
    /// The player's requirements for a stream with several variants at the time when it is opened.
    package var streamDemand = StreamDemand.Requirements()
    /// The settings for reading ahead and for following live streams at the time when the item is opened.
    package var readingDemand = ReadingDemand()
    /// The number of received bytes of a network resource that are kept, so that seeking back needs no request; nil
    /// uses the default.
    package var keptByteLimit: Int?
    package init() {}
}
