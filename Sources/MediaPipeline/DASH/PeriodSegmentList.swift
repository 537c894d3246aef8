import StreamPlaylists

/// The times and addresses of the segments of one representation in one period. A pure value.
struct PeriodSegmentList: Sendable, Equatable {
    /// The number, time and byte range of one segment.
    struct Entry: Sendable, Equatable {
        /// The segment's number, which replaces `$Number$` in a template.
        var number: Int
        /// The presentation time in time units, which replaces `$Time$` in a template.
        var start: Int
        /// The duration of the segment in time units.
        var duration: Int
        /// The segment's part of the representation's file; nil if a template or a list states the address.
        var range: ByteRange?
    }

    /// The segments in order of time.
    private(set) var entries: [Entry] = []
    private let information: SegmentInformation

    /// Lists the segments of a representation in one period.
    ///
    /// - Parameters:
    ///   - duration: The duration of the period in nanoseconds; nil if it is not known.
    ///   - index: The segment index of the file, for a representation that has one.
    ///   - available: The range of times, in nanoseconds since the start of the period, in which segments are
    ///     available; nil if all segments are.
    /// - Throws: `tooManySegments`, or another error if the manifest does not state enough to list the segments.
    init(
        _ information: SegmentInformation, duration: Int64?, index: SegmentIndex?, available: Range<Int64>?
    ) throws(ManifestError) {
        self.information = information
        let end = duration.map { information.timeOffset + information.time(ofNanoseconds: $0) }
        switch information.source {
        case .file:
            guard let end else { throw error(.unsupported("a file without an index and without a duration")) }
            let length = max(1, end - information.timeOffset)
            entries = [Entry(number: 0, start: information.timeOffset, duration: length)]
        case .index:
            guard let index else { throw error(.invalidIndex) }
            try add(index)
        case .list(let resources):
            try addTimes(end: end, available: available, limit: resources.count)
            entries.removeAll { !resources.indices.contains($0.number - information.startNumber) }
        case .template: try addTimes(end: end, available: available, limit: .max)
        }
        if let endNumber = information.endNumber { entries.removeAll { $0.number > endNumber } }
    }

    /// Returns an error with the line of the element that describes the segments.
    private func error(_ reason: ManifestError.Reason) -> ManifestError {
        ManifestError(reason, line: information.line)
    }

    /// Adds the segments of a segment timeline, or segments of equal duration.
    private mutating func addTimes(end: Int?, available: Range<Int64>?, limit: Int) throws(ManifestError) {
        if let timeline = information.timeline {
            return try add(timeline, end: end, available: available, limit: limit)
        }
        guard let duration = information.duration else {
            guard limit == 1, let end else { throw error(.missingValue(element: "SegmentList", name: "duration")) }
            let length = max(1, end - information.timeOffset)
            entries = [Entry(number: information.startNumber, start: information.timeOffset, duration: length)]
            return
        }
        var firstIndex = 0, endIndex = limit
        if let end { endIndex = min(endIndex, Self.quotientRoundedUp(end - information.timeOffset, duration)) }
        if let available {
            // A segment of a live presentation is available once it is complete.
            firstIndex = information.time(ofNanoseconds: available.lowerBound) / duration
            let liveEdge = information.time(ofNanoseconds: available.upperBound)
            let hasEnded = end.map { liveEdge >= $0 - information.timeOffset } ?? false
            if !hasEnded { endIndex = min(endIndex, liveEdge / duration) }
        } else if case .template = information.source, end == nil {
            throw error(.unsupported("a presentation without a duration"))
        }
        guard firstIndex < endIndex else { return }
        try checkCount(endIndex - firstIndex)
        let (length, overflows) = endIndex.multipliedReportingOverflow(by: duration)
        guard !overflows, length < XMLElement.largestInteger else { throw error(.tooManySegments(limit: limit)) }
        entries = (firstIndex..<endIndex).map {
            Entry(
                number: information.startNumber + $0, start: information.timeOffset + $0 * duration, duration: duration)
        }
    }

    /// Adds the segments of a segment timeline.
    private mutating func add(
        _ timeline: [SegmentInformation.TimelineEntry], end: Int?, available: Range<Int64>?, limit: Int
    ) throws(ManifestError) {
        var number = information.startNumber
        for entry in timeline {
            var count = entry.count ?? 0
            if entry.count == nil {
                let liveEdge = available.map { information.timeOffset + information.time(ofNanoseconds: $0.upperBound) }
                if let liveEdge { count = max(0, liveEdge - entry.start) / entry.duration }
                if let end {
                    let countUntilEnd = Self.quotientRoundedUp(end - entry.start, entry.duration)
                    count = min(liveEdge == nil ? .max : count, countUntilEnd)
                }
            }
            try checkCount(entries.count + count)
            for index in 0..<max(0, count) {
                let start = entry.start + index * entry.duration
                entries.append(Entry(number: number, start: start, duration: entry.duration))
                number += 1
            }
        }
    }

    /// Adds the parts of the file that the segment index lists.
    private mutating func add(_ index: SegmentIndex) throws(ManifestError) {
        guard case .index(let range) = information.source else { return }
        var offset = range.offset + index.end + index.firstOffset, start = index.earliestTime
        for (number, part) in index.references.enumerated() {
            guard !part.isIndex else { throw error(.unsupported("a segment index that refers to other indexes")) }
            guard let byteRange = ByteRange(offset: offset, length: part.size) else { throw error(.invalidIndex) }
            entries.append(Entry(number: number, start: start, duration: max(1, part.duration), range: byteRange))
            offset = byteRange.end
            start += part.duration
        }
        guard !entries.isEmpty else { throw error(.invalidIndex) }
    }

    /// Throws an error if there are more segments than ``PlaylistLimits/segments``.
    private func checkCount(_ count: Int) throws(ManifestError) {
        let limit = PlaylistLimits().segments
        guard count <= limit else { throw error(.tooManySegments(limit: limit)) }
    }

    /// Returns the quotient, rounded up, of a number and a positive divisor; at least 0.
    private static func quotientRoundedUp(_ number: Int, _ divisor: Int) -> Int {
        number <= 0 ? 0 : (number - 1) / divisor + 1
    }
}
