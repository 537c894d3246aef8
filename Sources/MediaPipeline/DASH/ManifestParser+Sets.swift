import StreamPlaylists

/// Parses the adaptation sets and representations of a DASH period.
extension ManifestParser {
    /// Reads the adaptation sets of a `Period` element. An adaptation set that cannot be used becomes a warning.
    mutating func adaptationSets(of period: XMLElement, base: PlaylistBase) -> [AdaptationSet] {
        var sets: [AdaptationSet] = []
        for element in period.children where element.name == "AdaptationSet" {
            do throws(ManifestError) {
                if let set = try adaptationSet(element, period, base: base) { sets.append(set) }
            } catch { warn(error) }
        }
        return sets
    }

    /// Reads an adaptation set; nil if it contains nothing that can be played.
    private mutating func adaptationSet(
        _ element: XMLElement, _ period: XMLElement, base outer: PlaylistBase
    ) throws(ManifestError) -> AdaptationSet? {
        if element["xlink:href"] != nil, element.children.isEmpty {
            throw ManifestError(.unsupported("an adaptation set in another file"), line: element.line)
        }
        guard Self.hasKnownEssentialProperties(element), let kind = Self.kind(element) else { return nil }
        let base = try Self.base(element, in: outer)
        var set = AdaptationSet(kind: kind, id: element["id"])
        set.language = element["lang"].flatMap { $0.isEmpty || $0 == "und" ? nil : $0 }
        set.label = element.child("Label").flatMap { $0.text.isEmpty ? nil : $0.text }
        let roles = element.children("Role").filter { $0["schemeIdUri"] == "urn:mpeg:dash:role:2011" }
        set.roles = Set(roles.compactMap { $0["value"] })
        set.describesVideo =
            set.roles.contains("description")
            || element.children("Accessibility").contains {
                $0["schemeIdUri"] == "urn:tva:metadata:cs:AudioPurposeCS:2007" && $0["value"] == "1"
            }
        let switchingProperties = element.children("SupplementalProperty").filter {
            $0["schemeIdUri"] == "urn:mpeg:dash:adaptation-set-switching:2016"
        }
        set.switchableSets = Set(
            switchingProperties.flatMap { ($0["value"] ?? "").split(separator: ",") }.map { text in
                String(text.filter { !$0.isWhitespace })
            })
        for child in element.children where child.name == "Representation" {
            representationCount += 1
            guard representationCount <= Self.representationLimit else {
                throw ManifestError(
                    .unsupported("a manifest with more than \(Self.representationLimit) representations"),
                    line: child.line)
            }
            do throws(ManifestError) {
                let newRepresentation = try representation(child, element, period, kind, base: base)
                if let newRepresentation { set.representations.append(newRepresentation) }
            } catch { warn(error) }
        }
        return set.representations.isEmpty ? nil : set
    }

    /// Reads a representation; nil if it cannot be played.
    private mutating func representation(
        _ element: XMLElement, _ set: XMLElement, _ period: XMLElement, _ kind: AdaptationSet.Kind, base: PlaylistBase
    ) throws(ManifestError) -> Representation? {
        let mergedElement = element.inheriting(from: set)
        let protections = mergedElement.children("ContentProtection")
        guard protections.isEmpty else {
            for name in Self.declaredSystemNames(protections) where !self.drmSystemNames.contains(name) {
                self.drmSystemNames.append(name)
            }
            if kind == .video { hasProtectedVideo = true }
            return nil
        }
        guard Self.hasKnownEssentialProperties(element) else { return nil }
        guard let id = element["id"] else { throw element.missingValueError("id") }
        guard let bandwidth = try element.integer("bandwidth") else { throw element.missingValueError("bandwidth") }
        let mimeType = mergedElement["mimeType"] ?? ""
        let codecs = (mergedElement["codecs"] ?? "").split(separator: ",").map { text in
            String(text.filter { !$0.isWhitespace })
        }
        if kind == .text, mimeType != "text/vtt", codecs.first != "wvtt" {
            throw ManifestError(.unsupported("subtitles of the type \(codecs.first ?? mimeType)"), line: element.line)
        }
        let ownBase = try Self.base(element, in: base)
        let segmentElements = [element, set, period].flatMap(\.children).filter { $0.name.hasPrefix("Segment") }
        segmentEntryCount += segmentElements.reduce(0) {
            $0 + $1.children.count + ($1.child("SegmentTimeline")?.children.count ?? 0)
        }
        guard segmentEntryCount <= Self.segmentEntryLimit else {
            throw ManifestError(.tooManySegments(limit: Self.segmentEntryLimit), line: element.line)
        }
        var segments = try SegmentInformation([element, set, period])
        if case .index = segments.source, mimeType.hasSuffix("/webm") {
            throw ManifestError(.unsupported("a WebM file with its own index"), line: element.line)
        }
        for outerElement in [element, set, period, root] {
            guard let child = outerElement.child("BaseURL"), let text = child["availabilityTimeOffset"],
                child["availabilityTimeComplete"] != "false"
            else { continue }
            segments.availabilityOffset = segments.availabilityOffset.clampedSum(AvailabilityOffset.nanoseconds(text))
        }
        let channels = mergedElement.child("AudioChannelConfiguration").flatMap { child in
            child["schemeIdUri"] == "urn:mpeg:dash:23003:3:audio_channel_configuration:2011"
                ? child["value"].flatMap { Int($0) } : nil
        }
        return Representation(
            id: id, bandwidth: max(1, bandwidth), mimeType: mimeType, codecs: codecs,
            video: VideoAttributes(mergedElement),
            channels: channels, base: ownBase, segments: segments, line: element.line)
    }

    /// Returns whether an adaptation set contains video, audio or text; nil for still images, such as thumbnails, and
    /// for data.
    private static func kind(_ element: XMLElement) -> AdaptationSet.Kind? {
        let firstRepresentation = element.child("Representation")
        let mimeType = element["mimeType"] ?? firstRepresentation?["mimeType"] ?? ""
        switch element["contentType"] ?? mimeType.split(separator: "/").first.map({ String($0) }) {
        case "video": return .video
        case "audio": return .audio
        case "text", "application": return .text
        default: return nil
        }
    }

    /// Whether all `EssentialProperty` descriptors of an element are known; otherwise the element must not be used
    /// (ISO/IEC 23009-1, section 5.8.4.8). The trick-mode descriptor, which marks pictures for fast forward, counts as
    /// unknown.
    private static func hasKnownEssentialProperties(_ element: XMLElement) -> Bool {
        element.children("EssentialProperty").allSatisfy {
            ($0["schemeIdUri"] ?? "").hasPrefix("urn:mpeg:mpegB:cicp:")
        }
    }

    /// Returns the names of the DRM systems that `ContentProtection` elements declare.
    private static func declaredSystemNames(_ elements: [XMLElement]) -> [String] {
        let knownNames = elements.compactMap { element -> String? in
            let scheme = (element["schemeIdUri"] ?? "").lowercased()
            return drmSystemNamesByUUID.first { scheme.hasSuffix($0.key) }?.value
        }
        return knownNames.isEmpty ? ["an unknown system"] : knownNames
    }

    /// The names of DRM systems by the UUIDs that the DASH Industry Forum lists.
    private static let drmSystemNamesByUUID = [
        "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed": "Widevine", "9a04f079-9840-4286-ab92-e65be0885f95": "PlayReady",
        "94ce86fb-07ff-4f43-adb8-93d2fa968ca2": "FairPlay", "1077efec-c0b2-4d02-ace3-3c1e52e2fb4b": "Clear Key",
        "e2719d58-a985-b3c9-781a-b030af78d30e": "Clear Key", "f239e769-efa3-4850-9c16-a903c6932efb": "Primetime",
    ]
}

extension VideoAttributes {
    /// Reads the video attributes of a `Representation` element.
    init(_ element: XMLElement) {
        let width = element["width"].flatMap { Int($0) } ?? 0, height = element["height"].flatMap { Int($0) } ?? 0
        let isPlausible = (1...100_000).contains(width) && (1...100_000).contains(height)
        let resolution = isPlausible ? Resolution(width: width, height: height) : nil
        // `frameRate` is an integer or a fraction such as `30000/1001`.
        let rateParts = (element["frameRate"] ?? "").split(separator: "/").compactMap { Double($0) }
        let rate = rateParts.count == 2 ? rateParts[0] / rateParts[1] : rateParts.first ?? 0
        let properties = element.children("EssentialProperty") + element.children("SupplementalProperty")
        let transferProperty = properties.first { $0["schemeIdUri"] == "urn:mpeg:mpegB:cicp:TransferCharacteristics" }
        // The values are codes of transfer characteristics (ITU-T H.273).
        let dynamicRange: DynamicRange? =
            switch transferProperty?["value"] {
            case "16": .pq
            case "18": .hlg
            case nil: nil
            default: .sdr
            }
        self.init(
            resolution: resolution, frameRate: rate > 0 && rate.isFinite ? rate : nil, dynamicRange: dynamicRange)
    }
}
