extension MediaPlaylist.Parser {
    /// The values of the tags that apply to the next segment, or to all segments from the next on (RFC 8216, section
    /// 4.3.2).
    struct SegmentState {
        /// The media sequence number of the next segment.
        var number = 0
        /// The discontinuity sequence number of the next segment.
        var discontinuity = 0
        /// The duration of the next segment in nanoseconds; nil before its `EXTINF`.
        var duration: Int64?
        /// The byte range of the next segment; nil for a whole resource. Without an offset, the range continues
        /// ``lastRange``.
        var range: (length: Int, offset: Int?)?
        /// The Boolean properties of the next segment.
        var flags: MediaSegment.Flags = []
        /// The date of the next segment, stated or computed, in nanoseconds since 1970; nil if unknown.
        var date: Int64?
        /// The bit rate of the next segments, in bits per second; nil if not stated.
        var bitrate: Int?
        /// The current key of the format `identity`, which needs no DRM; nil if there is none.
        var key: SharedValue<EncryptionKey>?
        /// The current key of another format, which needs DRM; nil if there is none.
        var drmKey: SharedValue<EncryptionKey>?
        /// The current initialization section; nil if there is none.
        var initialization: SharedValue<InitializationSection>?
        /// The address and the end of the byte range of the last segment. A range without an offset starts at that end.
        var lastRange: (address: PlaylistAddress, end: Int)?
    }

    /// Reads a tag that belongs to segments; ignores unknown tags.
    ///
    /// - Throws: `misplacedTag` for a tag of multivariant playlists.
    mutating func readSegmentTag(_ tag: PlaylistTag) throws(PlaylistError) {
        switch tag.name {
        case "EXTINF":
            let text = tag.value.prefix { $0 != UInt8(ascii: ",") && $0 != 0x20 }
            guard let duration = DecimalText.billionths(text), duration <= reader.limits.segmentDuration else {
                throw tag.invalidValueError()
            }
            state.duration = duration
        case "EXT-X-BYTERANGE":
            guard let range = ByteRange.parse(tag.value) else { throw tag.invalidValueError() }
            state.range = range
        case "EXT-X-DISCONTINUITY":
            state.flags.insert(.discontinuity)
            guard state.discontinuity < Int.max / 2 else { throw tag.invalidValueError() }
            state.discontinuity += 1
        case "EXT-X-GAP": state.flags.insert(.gap)
        case "EXT-X-PROGRAM-DATE-TIME":
            guard let date = ISO8601Date.nanoseconds(tag.value) else { return reader.warn(tag.invalidValueError()) }
            state.date = date
            state.flags.insert(.hasProgramDateTime)
        case "EXT-X-BITRATE":
            guard let kilobits = DecimalText.integer(tag.value), kilobits <= Int.max / 1000 else {
                return reader.warn(tag.invalidValueError())
            }
            state.bitrate = kilobits * 1000
        case "EXT-X-KEY": try readKey(try reader.attributes(of: tag))
        case "EXT-X-MAP":
            let key = state.key ?? state.drmKey
            let attributes = try reader.attributes(of: tag)
            let section = try InitializationSection(attributes, in: reader.base, key: key?.value)
            if state.initialization?.value != section { state.initialization = SharedValue(section) }
        case _ where HLSPlaylist.multivariantTags.contains(tag.name):
            throw PlaylistError(.misplacedTag(tag.name), line: tag.line)
        default: break
        }
    }

    /// Replaces the current key of the same format; the method `NONE` removes all keys. Only keys of the format
    /// `identity` can be used without DRM.
    private mutating func readKey(_ attributes: AttributeList) throws(PlaylistError) {
        guard let key = try EncryptionKey(attributes, in: reader.base) else {
            state.key = nil
            state.drmKey = nil
            return
        }
        if key.format == EncryptionKey.identityFormat {
            if state.key?.value != key { state.key = SharedValue(key) }
        } else if state.drmKey == nil || state.drmKey?.value.format == key.format {
            state.drmKey = SharedValue(key)
        }
    }

    /// Appends the segment whose address has been read.
    mutating func appendSegment(_ text: ArraySlice<UInt8>, line: Int) throws(PlaylistError) {
        guard let duration = state.duration else {
            let address = String(decoding: text, as: UTF8.self)
            return reader.warn(PlaylistError(.invalidAddress(address), line: line))
        }
        let address = try PlaylistAddress(text, in: reader.base, line: line)
        let range = try byteRange(at: address, line: line)
        let segment = MediaSegment(
            number: state.number, discontinuity: state.discontinuity, duration: duration, address: address,
            byteRange: range, date: state.date, bitrate: range == nil ? state.bitrate : nil, flags: state.flags,
            sharedKey: state.key ?? state.drmKey, sharedInitialization: state.initialization)
        try append(segment, line: line)
        state.lastRange = range.map { (address, $0.end) }
    }

    /// Returns the byte range of the next segment (RFC 8216, section 4.3.2.2); nil if it is a whole resource.
    private func byteRange(at address: PlaylistAddress, line: Int) throws(PlaylistError) -> ByteRange? {
        guard let statedRange = state.range else { return nil }
        guard let offset = statedRange.offset ?? state.lastRange.flatMap({ $0.address == address ? $0.end : nil })
        else {
            throw PlaylistError(.missingByteRangeOffset, line: line)
        }
        guard let range = ByteRange(offset: offset, length: statedRange.length) else {
            let text = "\(statedRange.length)@\(offset)"
            throw PlaylistError(.invalidValue(tag: "EXT-X-BYTERANGE", text: text), line: line)
        }
        return range
    }

    /// Appends a segment, and sets the number and date of the segment after it.
    private mutating func append(_ segment: MediaSegment, line: Int) throws(PlaylistError) {
        guard segments.count < reader.limits.segments else {
            throw PlaylistError(.tooManySegments(limit: reader.limits.segments), line: line)
        }
        // The total and each segment duration are limited, so that their sum cannot overflow.
        totalDuration += segment.duration
        guard totalDuration <= PlaylistLimits.duration else { throw PlaylistError(.tooLong, line: line) }
        segments.append(segment)
        state.number = segment.number + 1
        state.discontinuity = segment.discontinuity
        state.duration = nil
        state.range = nil
        state.flags = []
        state.date = segment.date.flatMap { date in
            let (nextDate, hasOverflowed) = date.addingReportingOverflow(segment.duration)
            return hasOverflowed ? nil : nextDate
        }
    }

    /// Inserts the segments that a delta update omits (draft-pantos-hls-rfc8216bis, section 4.4.5.2), and continues
    /// with the key, the initialization section, the date and the byte range of the last inserted segment.
    mutating func completeDelta(_ attributes: AttributeList) throws(PlaylistError) {
        let tag = attributes.tag
        guard let skippedCount = attributes.integer("SKIPPED-SEGMENTS") else {
            throw tag.missingAttributeError("SKIPPED-SEGMENTS")
        }
        guard segments.isEmpty else { throw PlaylistError(.misplacedTag(tag.name), line: tag.line) }
        guard skippedCount > 0 else { return }
        guard let firstNumber = knownSegments.first?.number, state.number >= firstNumber,
            state.number - firstNumber < knownSegments.count,
            skippedCount <= knownSegments.count - (state.number - firstNumber)
        else { throw PlaylistError(.unknownSkippedSegments, line: tag.line) }
        let startIndex = state.number - firstNumber
        for segment in knownSegments[startIndex..<startIndex + skippedCount] { try append(segment, line: tag.line) }
        guard let lastSegment = segments.last else { return }
        let hasIdentityKey = lastSegment.key?.format == EncryptionKey.identityFormat
        state.key = hasIdentityKey ? lastSegment.sharedKey : nil
        state.drmKey = hasIdentityKey ? nil : lastSegment.sharedKey
        state.initialization = lastSegment.sharedInitialization
        state.lastRange = lastSegment.byteRange.map { (lastSegment.address, $0.end) }
    }
}
