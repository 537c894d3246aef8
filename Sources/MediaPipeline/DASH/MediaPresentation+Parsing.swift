import StreamPlaylists

extension MediaPresentation {
    /// Parses a DASH manifest.
    ///
    /// Damaged and unsupported adaptation sets and representations are dropped with a warning, as long as something
    /// playable remains.
    ///
    /// - Parameters:
    ///   - bytes: The text of the manifest.
    ///   - address: The absolute address from which the manifest was loaded, after all redirects.
    /// - Throws: The error in the manifest, with its line.
    package init(_ bytes: [UInt8], address: String) throws(ManifestError) {
        let root = try XMLElement.parse(bytes)
        guard root.name == "MPD" else { throw ManifestError(.notAManifest(root: root.name), line: root.line) }
        let base: PlaylistBase
        do throws(PlaylistError) {
            base = try PlaylistBase(address, limit: PlaylistLimits().addressBytes)
        } catch { throw ManifestError(.address(error.reason)) }
        var parser = ManifestParser(root: root)
        self = try parser.presentation(base)
        guard periods.contains(where: { !$0.sets.isEmpty }) else {
            if !parser.drmSystemNames.isEmpty { throw ManifestError(.protected(systems: parser.drmSystemNames)) }
            throw warnings.first ?? ManifestError(.noMedia)
        }
        // If all video is protected by DRM, refuse the item: playing only its audio would surprise the user.
        let hasVideo = periods.contains { $0.sets.contains { $0.kind == .video } }
        if !hasVideo, parser.hasProtectedVideo { throw ManifestError(.protected(systems: parser.drmSystemNames)) }
    }
}

/// Parses the elements of a DASH manifest.
struct ManifestParser {
    let root: XMLElement
    private(set) var warnings: [ManifestError] = []
    /// The names of the DRM systems that protect representations.
    var drmSystemNames: [String] = []
    /// Whether a representation of video is protected.
    var hasProtectedVideo = false
    /// The number of representations read so far.
    var representationCount = 0
    /// The number of entries of segment lists and timelines read so far. An entry that several representations inherit
    /// counts once for each of them.
    var segmentEntryCount = 0

    init(root: XMLElement) { self.root = root }

    /// The maximum number of representations of all periods.
    static let representationLimit = 4096
    /// The maximum number of entries of segment lists and timelines (``segmentEntryCount``).
    static let segmentEntryLimit = 1_000_000
    /// The maximum number of periods.
    private static let periodLimit = 1024

    /// Reads the whole manifest.
    mutating func presentation(_ base: PlaylistBase) throws(ManifestError) -> MediaPresentation {
        var result = MediaPresentation()
        result.isLive = root["type"] == "dynamic"
        result.availabilityStart = try root.date("availabilityStartTime")
        result.duration = try root.duration("mediaPresentationDuration")
        result.minimumUpdatePeriod = try root.duration("minimumUpdatePeriod")
        result.timeShiftBufferDepth = try root.duration("timeShiftBufferDepth")
        result.suggestedDelay = try root.duration("suggestedPresentationDelay")
        if result.isLive, result.availabilityStart == nil { throw root.missingValueError("availabilityStartTime") }
        result.location = root.child("Location").flatMap { try? PlaylistAddress($0.text.utf8, in: base, line: $0.line) }
        result.clockSources = root.children("UTCTiming").compactMap { ClockSource($0, in: base) }
        result.periods = try periods(
            isLive: result.isLive, duration: result.duration, base: try Self.base(root, in: base))
        result.warnings = warnings
        return result
    }

    /// Reads the periods. A period without a stated duration ends where the next period starts.
    private mutating func periods(
        isLive: Bool, duration: Int64?, base: PlaylistBase
    ) throws(ManifestError) -> [PresentationPeriod] {
        let elements = root.children("Period").filter { $0["xlink:href"] != Self.resolveToZeroLink }
        guard elements.count <= Self.periodLimit else {
            throw ManifestError(.unsupported("a manifest with more than \(Self.periodLimit) periods"), line: root.line)
        }
        var periods: [PresentationPeriod] = []
        for (index, element) in elements.enumerated() {
            if element["xlink:href"] != nil, element.children.isEmpty {
                warn(ManifestError(.unsupported("a period in another file"), line: element.line))
                continue
            }
            // A period without a stated start begins where the previous period ends.
            let previousEnd = index == 0 ? (isLive ? nil : 0) : periods.last?.end
            guard let start = try element.duration("start") ?? previousEnd else {
                warn(element.missingValueError("start"))
                continue
            }
            if let lastIndex = periods.indices.last {
                guard start > periods[lastIndex].start else { throw element.invalidValueError("start") }
                periods[lastIndex].duration = min(periods[lastIndex].duration ?? .max, start - periods[lastIndex].start)
            }
            var period = PresentationPeriod(
                id: element["id"] ?? "@\(start)", start: start, duration: try element.duration("duration"))
            period.sets = adaptationSets(of: element, base: try Self.base(element, in: base))
            periods.append(period)
        }
        guard let lastIndex = periods.indices.last else { throw root.missingValueError("Period") }
        if let duration, periods[lastIndex].duration == nil, duration > periods[lastIndex].start {
            periods[lastIndex].duration = duration - periods[lastIndex].start
        }
        return periods
    }

    /// Returns the base address of an element: its first `BaseURL`, resolved against the base of the outer element.
    static func base(_ element: XMLElement, in outer: PlaylistBase) throws(ManifestError) -> PlaylistBase {
        guard let child = element.child("BaseURL"), !child.text.isEmpty else { return outer }
        do throws(PlaylistError) {
            let address = try PlaylistAddress(child.text.utf8, in: outer, line: child.line)
            return try PlaylistBase(address.url, limit: outer.addressByteLimit)
        } catch { throw ManifestError(error, line: child.line) }
    }

    /// Stores a warning, unless the maximum number of warnings is reached.
    mutating func warn(_ warning: ManifestError) {
        if warnings.count < PlaylistLimits().warnings { warnings.append(warning) }
    }

    /// The `xlink:href` value of an element that must be ignored.
    private static let resolveToZeroLink = "urn:mpeg:dash:resolve-to-zero:2013"
}

extension ClockSource {
    /// Reads a `UTCTiming` element; nil if its scheme is not supported.
    init?(_ element: XMLElement, in base: PlaylistBase) {
        let value = element["value"] ?? ""
        // Addresses are separated by spaces; use the first one.
        let address = value.split(separator: " ").first.flatMap {
            try? PlaylistAddress($0.utf8, in: base, line: element.line)
        }
        switch element["schemeIdUri"] {
        case "urn:mpeg:dash:utc:direct:2014", "urn:mpeg:dash:utc:direct:2012":
            guard let date = ISO8601Date.nanoseconds(value.utf8) else { return nil }
            self = .direct(date)
        case "urn:mpeg:dash:utc:http-head:2014", "urn:mpeg:dash:utc:http-head:2012":
            guard let address else { return nil }
            self = .head(address)
        case "urn:mpeg:dash:utc:http-xsdate:2014", "urn:mpeg:dash:utc:http-xsdate:2012",
            "urn:mpeg:dash:utc:http-iso:2014", "urn:mpeg:dash:utc:http-iso:2012":
            guard let address else { return nil }
            self = .content(address)
        default: return nil
        }
    }
}
