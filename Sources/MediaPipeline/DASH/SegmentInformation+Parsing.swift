import StreamPlaylists

extension SegmentInformation {
    /// The names of the elements that describe segments, in order of precedence.
    private static let elementNames = ["SegmentTemplate", "SegmentList", "SegmentBase"]

    /// Reads the addresses and times of a representation's segments.
    ///
    /// - Parameter levels: The elements `Representation`, `AdaptationSet` and `Period`, innermost first. Each element
    ///   inherits the segment attributes of the outer elements.
    init(_ levels: [XMLElement]) throws(ManifestError) {
        let name = levels.lazy.compactMap { level in Self.elementNames.first { level.child($0) != nil } }.first
        guard let name, let element = Self.merged(name, levels) else {
            self.init(source: .file)
            return
        }
        self.init(source: .file)
        line = element.line
        try readTiming(element)
        let child = element.child("Initialization")
        if let child { initialization = Resource(address: child["sourceURL"], range: try child.range("range")) }
        switch name {
        case "SegmentTemplate": try readTemplate(element, levels[0])
        case "SegmentList":
            var resources: [Resource] = []
            for part in element.children("SegmentURL") {
                resources.append(Resource(address: part["media"], range: try part.range("mediaRange")))
            }
            guard duration != nil || timeline != nil || resources.count == 1 else {
                throw element.missingValueError("duration")
            }
            source = .list(resources)
        default:
            guard let range = try element.range("indexRange") else { return }
            source = .index(range)
            // The bytes before the segment index initialize the decoder.
            if child == nil { initialization = Resource(range: ByteRange(offset: 0, length: range.offset)) }
        }
    }

    /// Returns the innermost element called `name`, with the attributes and children that it inherits from elements of
    /// the same name in outer levels.
    private static func merged(_ name: String, _ levels: [XMLElement]) -> XMLElement? {
        let elements = levels.compactMap { $0.child(name) }
        return elements.dropFirst().reduce(elements.first) { $0?.inheriting(from: $1) }
    }

    /// Reads the address templates of a `SegmentTemplate` element.
    private mutating func readTemplate(_ element: XMLElement, _ representation: XMLElement) throws(ManifestError) {
        guard let text = element["media"] else { throw element.missingValueError("media") }
        guard let mediaTemplate = AddressTemplate(text) else { throw element.invalidValueError("media") }
        guard duration != nil || timeline != nil else { throw element.missingValueError("duration") }
        source = .template(mediaTemplate)
        guard let text = element["initialization"] else { return }
        guard let template = AddressTemplate(text), !template.contains(.number), !template.contains(.time) else {
            throw element.invalidValueError("initialization")
        }
        initialization = Resource(
            address: template.text(
                representation: representation["id"] ?? "", bandwidth: try representation.integer("bandwidth") ?? 0))
    }

    /// Reads the attributes that state times, and the segment timeline.
    private mutating func readTiming(_ element: XMLElement) throws(ManifestError) {
        timescale = try element.integer("timescale") ?? 1
        guard (1...Self.largestTimescale).contains(timescale) else { throw element.invalidValueError("timescale") }
        timeOffset = try element.integer("presentationTimeOffset") ?? 0
        startNumber = try element.integer("startNumber") ?? 1
        endNumber = try element.integer("endNumber")
        duration = try element.integer("duration")
        if duration == 0 { throw element.invalidValueError("duration") }
        if let text = element["availabilityTimeOffset"], element["availabilityTimeComplete"] != "false" {
            availabilityOffset = AvailabilityOffset.nanoseconds(text)
        }
        if let list = element.child("SegmentTimeline") { timeline = try Self.timelineEntries(list) }
    }

    /// Reads a segment timeline.
    private static func timelineEntries(_ timeline: XMLElement) throws(ManifestError) -> [TimelineEntry] {
        var entries: [TimelineEntry] = [], nextStart: Int? = 0
        for element in timeline.children where element.name == "S" {
            guard let duration = try element.integer("d") else { throw element.missingValueError("d") }
            guard duration > 0 else { throw element.invalidValueError("d") }
            let statedStart = try element.integer("t")
            if let last = entries.indices.last, entries[last].count == nil {
                // The previous entry states no count: its segments repeat up to the start of this entry.
                guard let statedStart, statedStart > entries[last].start else { throw element.missingValueError("t") }
                entries[last].count = max(1, (statedStart - entries[last].start) / entries[last].duration)
            }
            guard let start = statedStart ?? nextStart else { throw element.missingValueError("t") }
            let repeatCount = element["r"].map { Int($0) ?? .min } ?? 0
            guard repeatCount >= -1 else { throw element.invalidValueError("r") }
            guard repeatCount >= 0 else {
                entries.append(TimelineEntry(start: start, duration: duration))
                nextStart = nil
                continue
            }
            guard repeatCount < PlaylistLimits().segments else {
                throw ManifestError(.tooManySegments(limit: PlaylistLimits().segments), line: element.line)
            }
            entries.append(TimelineEntry(start: start, duration: duration, count: repeatCount + 1))
            let (length, overflows) = duration.multipliedReportingOverflow(by: repeatCount + 1)
            guard !overflows, length <= XMLElement.largestInteger, start <= XMLElement.largestInteger - length else {
                throw element.invalidValueError("d")
            }
            nextStart = start + length
        }
        return entries
    }

    /// The largest accepted number of time units per second.
    private static let largestTimescale = 1_000_000_000_000
}

/// Parses the attribute `availabilityTimeOffset`.
enum AvailabilityOffset {
    /// Converts seconds to nanoseconds. A malformed value becomes 0; `INF`, which means always available, becomes the
    /// longest representable duration.
    static func nanoseconds(_ text: String) -> Int64 {
        if text == "INF" { return PlaylistLimits.duration }
        return DecimalText.billionths(text.utf8).map { min($0, PlaylistLimits.duration) } ?? 0
    }
}
