import StreamPlaylists
import SystemCalls

/// The DASH manifest as last loaded, and the data collected since its first load, such as the server's clock. A value,
/// so that other threads can continue from a copy.
struct PresentationState: Sendable {
    /// The tracks listed in the manifest that was loaded first.
    let tracks: PresentationTracks
    private(set) var presentation: MediaPresentation
    /// The address from which the manifest is reloaded.
    private(set) var address: String
    /// The host time, in nanoseconds, at which the last load of the manifest began.
    var loadTime: Int64
    /// The time of the server in nanoseconds since 1970, minus the host time; nil before it is known.
    var clockOffset: Int64?
    /// The loaded segment indexes (`sidx`), by the file and byte range that contain each index.
    private(set) var indexes: [InitializationSection: SegmentIndex] = [:]
    /// The discontinuity numbers of the periods, by period identifier.
    private var discontinuities: [String: Int] = [:]
    private var nextDiscontinuity = 0

    /// The maximum number of kept discontinuity numbers, and of kept segment indexes.
    private static let entryLimit = 4096
    /// The maximum number of references in all kept segment indexes together.
    private static let referenceLimit = 1_000_000

    /// Creates the state after the first load of the manifest.
    ///
    /// - Parameters:
    ///   - bytes: The text of the manifest.
    ///   - address: The absolute address from which the text came, after all redirects.
    ///   - date: The server's time, in nanoseconds since 1970, that the response for the manifest states; nil if it
    ///     states none. It is used if the manifest names no better clock.
    init(_ bytes: [UInt8], address: String, date: Int64?) throws(ManifestError) {
        let presentation = try MediaPresentation(bytes, address: address)
        tracks = try PresentationTracks(presentation, address: address)
        self.presentation = presentation
        loadTime = MonotonicTime.now
        self.address = presentation.location?.url ?? address
        clockOffset = date.map { [loadTime] in $0.clampedDifference(loadTime) }
        assignDiscontinuityNumbers()
    }

    /// Replaces the manifest by a newer one.
    ///
    /// - Throws: The error in the new manifest; the old manifest is kept.
    mutating func update(_ bytes: [UInt8], address: String) throws(ManifestError) {
        var newPresentation = try MediaPresentation(bytes, address: address)
        // Packagers omit the availability start once a live presentation has ended. Keep the old one, so that its
        // segments keep their dates.
        newPresentation.availabilityStart = newPresentation.availabilityStart ?? presentation.availabilityStart
        presentation = newPresentation
        self.address = presentation.location?.url ?? self.address
        if case .direct(let date)? = presentation.clockSources.first { clockOffset = date.clampedDifference(loadTime) }
        assignDiscontinuityNumbers()
    }

    /// Stores the segment index of a file.
    mutating func add(_ index: SegmentIndex, at section: InitializationSection) {
        let keptReferenceCount = indexes.values.reduce(0) { $0 + $1.references.count }
        if indexes.count >= Self.entryLimit || keptReferenceCount + index.references.count > Self.referenceLimit {
            indexes = [:]
        }
        indexes[section] = index
    }

    /// Returns the files and byte ranges of the segment indexes that a track needs and that are not loaded yet.
    func missingIndexes(of track: PresentationTrack) -> [InitializationSection] {
        presentation.periods.compactMap { track.representation(in: $0)?.indexSection }.filter { indexes[$0] == nil }
    }

    /// Returns the media playlist of a track.
    ///
    /// - Parameters:
    ///   - knownSegments: The segments of the track that the last call returned.
    ///   - hostTime: The current host time in nanoseconds.
    func playlist(
        _ track: PresentationTrack, knownSegments: [MediaSegment], hostTime: Int64
    ) throws(ManifestError) -> MediaPlaylist {
        var builder = PresentationPlaylistBuilder(presentation)
        (builder.previousSegments, builder.discontinuities, builder.indexes) = (knownSegments, discontinuities, indexes)
        if presentation.isLive, let start = presentation.availabilityStart {
            builder.now = hostTime.clampedSum(clockOffset ?? 0).clampedDifference(start)
        }
        return try builder.playlist(track)
    }

    /// Assigns discontinuity numbers to new periods, in order. A period keeps its number when older periods are
    /// removed.
    private mutating func assignDiscontinuityNumbers() {
        if discontinuities.count >= Self.entryLimit {
            let currentIDs = Set(presentation.periods.map(\.id))
            discontinuities = discontinuities.filter { currentIDs.contains($0.key) }
        }
        for period in presentation.periods where discontinuities[period.id] == nil {
            discontinuities[period.id] = nextDiscontinuity
            nextDiscontinuity += 1
        }
    }
}
