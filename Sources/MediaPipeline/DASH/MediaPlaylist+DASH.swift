import StreamPlaylists

/// Builds a media playlist, as in HLS, from the segments of one track of a DASH presentation.
struct PresentationPlaylistBuilder {
    let presentation: MediaPresentation
    /// The server's time in nanoseconds since the start of the presentation; nil unless the presentation is live.
    var now: Int64?
    /// The track's segments in the playlist that was built last. Segments that are still listed keep their numbers.
    var previousSegments: [MediaSegment] = []
    /// The discontinuity numbers of the periods, by period identifier.
    var discontinuities: [String: Int] = [:]
    /// The loaded segment indexes (`sidx`), by the file and byte range that contain each index.
    var indexes: [InitializationSection: SegmentIndex] = [:]

    /// The segments built so far; ``assignNumbers()`` assigns their final numbers.
    private var segments: [MediaSegment] = []
    /// The longest nominal duration of a segment, in nanoseconds.
    private var longestDuration: Int64 = 0
    /// The total length, in bytes, of the segment addresses built so far.
    private var addressByteCount = 0

    /// The maximum total length, in bytes, of one track's segment addresses.
    private static let addressByteLimit = 64 << 20

    /// The longest time, in nanoseconds, by which a live presentation can be rewound.
    private static let rewindLimit: Int64 = 6 * 3600 * 1_000_000_000

    init(_ presentation: MediaPresentation) { self.presentation = presentation }

    /// Returns the media playlist of a track.
    mutating func playlist(_ track: PresentationTrack) throws(ManifestError) -> MediaPlaylist {
        (segments, addressByteCount) = ([], 0)
        for period in presentation.periods { try append(period, track) }
        try checkLimits()
        try assignNumbers()
        return MediaPlaylist(
            segments, targetDuration: min(longestDuration, PlaylistLimits().segmentDuration), isComplete: isEnded,
            serverControl: presentation.isLive ? ServerControl(holdBack: presentation.suggestedDelay) : nil)
    }

    /// Whether the presentation has ended, so that no segment will be added.
    private var isEnded: Bool {
        guard presentation.isLive else { return true }
        guard presentation.minimumUpdatePeriod == nil, let now, let end = presentation.periods.last?.end else {
            return false
        }
        return now >= end
    }

    /// Appends the segments of one period.
    private mutating func append(_ period: PresentationPeriod, _ track: PresentationTrack) throws(ManifestError) {
        var available: Range<Int64>?
        if presentation.isLive, let now {
            let rewindDepth = min(presentation.timeShiftBufferDepth ?? Self.rewindLimit, Self.rewindLimit)
            let newestTime = min(now, period.end ?? now).clampedDifference(period.start)
            let oldestTime = now.clampedDifference(rewindDepth).clampedDifference(period.start)
            guard newestTime >= 0, oldestTime < period.duration ?? .max else { return }
            available = max(0, oldestTime)..<max(0, oldestTime, newestTime)
        }
        guard let representation = track.representation(in: period) else { return appendGap(period) }
        let segmentIndex = representation.indexSection.flatMap { indexes[$0] }
        let information = segmentIndex.map { representation.segments.withUnits(of: $0) } ?? representation.segments
        if let range = available {
            let newestTime = range.upperBound.clampedSum(information.availabilityOffset)
            available = range.lowerBound..<min(newestTime, period.duration ?? newestTime)
        }
        let segmentList = try PeriodSegmentList(
            information, duration: period.duration, index: segmentIndex, available: available)
        let initialization = try initialization(of: representation)
        let mediaTimeOrigin = information.nanoseconds(information.timeOffset)
        longestDuration = max(longestDuration, information.longestDuration)
        var isFirstOfPeriod = true
        for (index, entry) in segmentList.entries.enumerated() {
            // Starts and ends are relative to the start of the period. The first segment of a period begins with the
            // period.
            let ownStart = information.nanoseconds(entry.start - information.timeOffset)
            let isFirst = index == 0 && !(hasDates && ownStart > 0)
            let start = isFirst ? 0 : max(0, ownStart)
            let nextEntry = segmentList.entries.indices.contains(index + 1) ? segmentList.entries[index + 1] : nil
            let isLast = nextEntry == nil && !hasDates
            let ownEnd = information.nanoseconds(entry.start + entry.duration - information.timeOffset)
            var end = nextEntry.map { information.nanoseconds($0.start - information.timeOffset) } ?? ownEnd
            if isLast, let duration = period.duration { end = duration }
            if let duration = period.duration { end = min(end, duration) }
            guard end > start else { continue }
            longestDuration = max(longestDuration, min(end - start, information.nanoseconds(entry.duration)))
            if let oldestTime = available?.lowerBound, end <= oldestTime { continue }
            let address = try address(of: entry, representation)
            addressByteCount += address.url.utf8.count
            if addressByteCount > Self.addressByteLimit { try checkLimits() }
            var segment = MediaSegment(
                number: 0, discontinuity: discontinuities[period.id] ?? 0, duration: end - start,
                address: address, byteRange: range(of: entry, representation),
                date: date(start, in: period),
                bitrate: nil, flags: isFirstOfPeriod && !segments.isEmpty ? [.discontinuity] : [], sharedKey: nil,
                sharedInitialization: initialization)
            (segment.mediaTime, segment.mediaTimeOrigin) = (mediaTimeOrigin.clampedSum(start), mediaTimeOrigin)
            if isLast, period.duration != nil { segment.flags.insert(.endsPeriod) }
            segments.append(segment)
            isFirstOfPeriod = false
        }
        try checkLimits()
    }

    /// Appends a gap segment, which is never requested, for a period that lacks the track.
    private mutating func appendGap(_ period: PresentationPeriod) {
        guard let duration = period.duration, duration > 0, let base = presentation.firstBase,
            let address = try? PlaylistAddress("#gap".utf8, in: base, line: 0)
        else { return }
        segments.append(
            MediaSegment(
                number: 0, discontinuity: discontinuities[period.id] ?? 0, duration: duration, address: address,
                byteRange: nil,
                date: date(0, in: period), bitrate: nil, flags: [.gap], sharedKey: nil, sharedInitialization: nil))
    }

    /// Whether segments have dates, by which they are recognised after a reload. A live presentation keeps its dates
    /// after its end.
    private var hasDates: Bool { presentation.isLive || !previousSegments.isEmpty }

    /// Returns the wall-clock time, in nanoseconds since 1970, at a time within a period; nil if segments have no
    /// dates.
    private func date(_ time: Int64, in period: PresentationPeriod) -> Int64? {
        guard hasDates else { return nil }
        return (presentation.availabilityStart ?? 0).clampedSum(period.start).clampedSum(time)
    }

    // MARK: Addresses

    /// Returns the initialization section of a representation; nil if it has none.
    private func initialization(
        of representation: Representation
    ) throws(ManifestError) -> SharedValue<InitializationSection>? {
        guard let resource = representation.segments.initialization else { return nil }
        return SharedValue(
            InitializationSection(address: try representation.address(resource.address), byteRange: resource.range))
    }

    /// Returns the address of a segment.
    private func address(
        of entry: PeriodSegmentList.Entry, _ representation: Representation
    ) throws(ManifestError) -> PlaylistAddress {
        switch representation.segments.source {
        case .template(let template):
            return try representation.address(
                template.text(
                    representation: representation.id, bandwidth: representation.bandwidth, number: entry.number,
                    time: entry.start))
        case .list(let resources):
            return try representation.address(resources[entry.number - representation.segments.startNumber].address)
        case .index, .file: return try representation.address(nil)
        }
    }

    /// Returns the part of its file that a segment takes; nil for the whole file.
    private func range(of entry: PeriodSegmentList.Entry, _ representation: Representation) -> ByteRange? {
        guard case .list(let resources) = representation.segments.source else { return entry.range }
        return resources[entry.number - representation.segments.startNumber].range
    }

    // MARK: Numbers

    /// Throws an error if there are too many segments, a segment is too long, or the addresses are too long in total.
    private func checkLimits() throws(ManifestError) {
        let limit = PlaylistLimits().segments
        guard segments.count <= limit else { throw ManifestError(.tooManySegments(limit: limit)) }
        let durationLimit = PlaylistLimits().segmentDuration
        guard segments.allSatisfy({ $0.duration <= durationLimit || $0.isGap }) else {
            throw ManifestError(.unsupported("a segment of more than seven days"))
        }
        guard addressByteCount <= Self.addressByteLimit else {
            throw ManifestError(.unsupported("a manifest with such long addresses"))
        }
    }

    /// Numbers the segments consecutively. Segments of the previous playlist, recognised by date, keep their numbers.
    private mutating func assignNumbers() throws(ManifestError) {
        let firstNumber = firstSegmentNumber()
        guard abs(firstNumber) <= PlaylistLimits.largestSequenceNumber else {
            throw ManifestError(.unsupported("a presentation whose clock jumps by many years"))
        }
        for index in segments.indices { segments[index].number = firstNumber + index }
    }

    /// Returns the number of the first segment: its number in the previous playlist, or a number that leaves room for
    /// the segments missed since then.
    private func firstSegmentNumber() -> Int {
        guard let newestPrevious = previousSegments.last, let previousDate = newestPrevious.date,
            let date = segments.first?.date
        else {
            return previousSegments.first?.number ?? 0
        }
        var candidates = previousSegments[...]
        for (index, segment) in segments.enumerated() {
            guard let date = segment.date else { break }
            candidates = candidates.drop { ($0.date ?? .min).clampedSum($0.duration / 2) < date }
            guard let matchingSegment = candidates.first, let matchDate = matchingSegment.date else { break }
            if (matchDate.clampedDifference(date)).magnitude <= UInt64(max(segment.duration, 1) / 2 + 1) {
                return matchingSegment.number - index
            }
        }
        let gap = date.clampedDifference(previousDate.clampedSum(newestPrevious.duration))
        guard gap >= 0 else { return (previousSegments.first?.number ?? 0) - segments.count }
        let missedCount = min(gap / max(1, newestPrevious.duration), Int64(PlaylistLimits.largestSequenceNumber / 2))
        return Int(clamping: Int64(newestPrevious.number).clampedSum(missedCount).clampedSum(1))
    }
}

extension Representation {
    /// Returns the absolute address of `reference`, which is relative to this representation's base. If `reference` is
    /// nil, the base itself is the address of the media file.
    func address(_ reference: String?) throws(ManifestError) -> PlaylistAddress {
        do throws(PlaylistError) {
            return try PlaylistAddress((reference ?? base.text).utf8, in: base, line: line)
        } catch { throw ManifestError(error, line: line) }
    }

    /// The file and byte range of this representation's segment index (`sidx`); nil if it has none.
    var indexSection: InitializationSection? {
        guard case .index(let range) = segments.source, let address = try? address(nil) else { return nil }
        return InitializationSection(address: address, byteRange: range)
    }
}

extension MediaPresentation {
    /// The base address of the presentation's first representation; nil if there is no representation.
    var firstBase: PlaylistBase? { periods.lazy.flatMap(\.sets).flatMap(\.representations).first?.base }
}
