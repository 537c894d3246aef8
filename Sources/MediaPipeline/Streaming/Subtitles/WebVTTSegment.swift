/// A segment of a WebVTT rendition (RFC 8216, section 3.5), parsed without other segments. A pure value.
struct WebVTTSegment: Sendable, Equatable {
    /// The relation between cue times and the stream's clock (`X-TIMESTAMP-MAP`). Without the tag, cue time 0 is time 0
    /// of the stream's clock.
    struct TimestampMap: Sendable, Equatable {
        /// A time on the clock of the cues (`LOCAL` of the tag), in nanoseconds.
        var cueTime: Int64 = 0
        /// The lowest 33 bits of the same moment on the stream's clock (`MPEGTS` of the tag), in units of 1/90000 s.
        var streamTime: Int64 = 0
    }

    /// The relation that the segment's tag states; nil without the tag.
    private(set) var map: TimestampMap?
    /// The cues in the order of the segment's text.
    private(set) var cues: [WebVTTCue] = []

    /// The maximum number of cues that are read from a segment.
    static let cueLimit = 20_000
    /// The maximum size of a cue's text in bytes; further lines are dropped.
    static let textLimit = 8 << 10
    /// The maximum size, in bytes, of a line that states the times of a cue.
    private static let timingLimit = 1 << 10
    private static let mapTag = "X-TIMESTAMP-MAP="

    /// Creates a segment from cues whose times are on the stream's clock.
    init(cues: [WebVTTCue]) { self.cues = cues }

    /// Parses the UTF-8 text of a segment. An empty text has no cues.
    ///
    /// - Throws: `notMedia` if the text is not WebVTT.
    init(_ text: [UInt8]) throws(MediaError) {
        var lines = TextLines(remainingBytes: text[...])
        guard text.contains(where: { $0 > 32 }), let firstLine = lines.next() else { return }
        guard Self.isSignature(firstLine) else {
            throw MediaError(
                .notMedia,
                "a segment of subtitles is \(SegmentDemuxer.description(of: Array(text.prefix(64)))), not WebVTT")
        }
        /// The times of the cue that is being parsed; nil outside cues.
        var times: Range<Int64>?
        var cueText: [UInt8] = []
        func endCue() {
            defer { (times, cueText) = (nil, []) }
            guard let times, !cueText.isEmpty else { return }
            cues.append(
                WebVTTCue(
                    start: times.lowerBound, end: times.upperBound, text: String(decoding: cueText, as: UTF8.self)))
        }
        while let line = lines.next(), cues.count < Self.cueLimit {
            if line.isEmpty {
                endCue()
            } else if line.contains(sequence: "-->") {
                // A timing line also ends the previous cue if the empty line between them is missing.
                endCue()
                if line.count <= Self.timingLimit { times = Self.times(String(decoding: line, as: UTF8.self)) }
            } else if times != nil {
                guard cueText.count + line.count < Self.textLimit else { continue }
                cueText += (cueText.isEmpty ? [] : [UInt8(ascii: "\n")]) + line
            } else if map == nil, cues.isEmpty, line.starts(with: Self.mapTag.utf8), line.count <= Self.timingLimit {
                map = TimestampMap(String(decoding: line.dropFirst(Self.mapTag.utf8.count), as: UTF8.self))
            }
            // Skip other lines outside cues: comments, styles, regions and cue identifiers.
        }
        if cues.count < Self.cueLimit { endCue() }
    }

    /// Returns whether the first line of a file is the signature of WebVTT.
    private static func isSignature(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: "WEBVTT".utf8) else { return false }
        let nextByte = line.dropFirst("WEBVTT".utf8.count).first
        return nextByte == nil || nextByte == UInt8(ascii: " ") || nextByte == UInt8(ascii: "\t")
    }

    /// Parses the timing line of a cue: `00:01.000 --> 00:02.500 line:80%`. Returns nil if the line is malformed or the
    /// cue has no duration.
    private static func times(_ line: String) -> Range<Int64>? {
        let startAndEnd = line.split(separator: "-->", maxSplits: 1, omittingEmptySubsequences: false)
        guard startAndEnd.count == 2,
            let start = startAndEnd[0].split(whereSeparator: \.isWhitespace).first.flatMap(time),
            let end = startAndEnd[1].split(whereSeparator: \.isWhitespace).first.flatMap(time), start < end
        else { return nil }
        return start..<end
    }

    /// Parses a time such as `01:02:03.004` or `02:03.004` to nanoseconds; nil if it is malformed.
    static func time(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let secondsText = parts.last else { return nil }
        // Some programs write a comma instead of a point, as in SubRip files.
        let seconds = secondsText.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard (1...2).contains(seconds.count) else { return nil }
        var totalSeconds: Int64 = 0
        for part in parts.dropLast() + [seconds[0]] {
            guard let number = number(part, digits: 1...6) else { return nil }
            totalSeconds = totalSeconds * 60 + number
        }
        guard seconds.count == 2 else { return totalSeconds * 1_000_000_000 }
        guard var fraction = number(seconds[1], digits: 1...9) else { return nil }
        for _ in seconds[1].utf8.count..<9 { fraction *= 10 }
        return totalSeconds * 1_000_000_000 + fraction
    }

    /// Parses a decimal number whose number of digits lies in `digits`; nil for any other text.
    fileprivate static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}

extension WebVTTSegment.TimestampMap {
    /// Parses the value of the `X-TIMESTAMP-MAP` tag: `LOCAL:00:00:00.000,MPEGTS:900000`, in any order; nil if it is
    /// malformed.
    init?(_ value: String) {
        var cueTime: Int64?, streamTime: Int64?
        for entry in value.split(separator: ",") {
            let nameAndValue = entry.split(separator: ":", maxSplits: 1)
            guard nameAndValue.count == 2 else { continue }
            let name = nameAndValue[0].filter { !$0.isWhitespace }.uppercased(),
                text = nameAndValue[1].filter { !$0.isWhitespace }
            if name == "LOCAL" { cueTime = WebVTTSegment.time(text[...]) }
            if name == "MPEGTS" { streamTime = WebVTTSegment.number(text[...], digits: 1...18) }
        }
        guard let cueTime, let streamTime else { return nil }
        self.init(cueTime: cueTime, streamTime: streamTime & 0x1_FFFF_FFFF)
    }
}

/// The lines of a text, which end with a line feed, a carriage return, or a carriage return and a line feed.
private struct TextLines {
    var remainingBytes: ArraySlice<UInt8>

    mutating func next() -> ArraySlice<UInt8>? {
        guard !remainingBytes.isEmpty else { return nil }
        guard let end = remainingBytes.firstIndex(where: { $0 == 10 || $0 == 13 }) else {
            return remainingBytes.popAll()
        }
        let line = remainingBytes[..<end]
        let isCRLF = remainingBytes[end] == 13 && remainingBytes.dropFirst(line.count + 1).first == 10
        remainingBytes = remainingBytes[(end + (isCRLF ? 2 : 1))...]
        return line
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns all elements.
    fileprivate mutating func popAll() -> Self {
        defer { self = [] }
        return self
    }

    /// Returns whether the bytes contain the ASCII text `text`.
    fileprivate func contains(sequence text: StaticString) -> Bool {
        let sequence = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return indices.contains { self[$0] == sequence.first && self[$0...].starts(with: sequence) }
    }
}
