extension MediaPlaylist {
    /// Collects the contents of a media playlist line by line.
    struct Parser {
        /// The values of the tags that concern the whole playlist.
        struct Header {
            /// The stated upper limit of segment durations, in nanoseconds; nil if not stated.
            var targetDuration: Int64?
            /// The changes that the playlist permits (`EXT-X-PLAYLIST-TYPE`); nil if not stated.
            var kind: Kind?
            /// Whether no segments will be appended.
            var isEnded = false
            /// Whether each segment is a single key frame.
            var isIFramesOnly = false
            /// The features that the server of a live playlist supports; nil if not stated.
            var serverControl: ServerControl?
            /// Whether the playlist has a tag that distinguishes HLS playlists from lists of files for music players.
            var hasMediaTag = false
        }

        /// The reader that returns the tags and addresses of the playlist one after the other.
        var reader: PlaylistReader
        /// The values read so far of the tags that concern the whole playlist.
        private(set) var header = Header()
        /// The segments read so far.
        var segments: [MediaSegment] = []
        /// The values of the tags that apply to the next segment, or to all segments from the next on.
        var state = SegmentState()
        /// The sum of all segment durations in nanoseconds.
        var totalDuration: Int64 = 0
        /// The segments known from earlier loads of the playlist, from which a delta update is completed.
        let knownSegments: [MediaSegment]

        init(_ reader: PlaylistReader, knownSegments: [MediaSegment]) {
            self.reader = reader
            self.knownSegments = knownSegments
        }

        /// Reads the whole playlist.
        mutating func parse() throws(PlaylistError) {
            while let item = try reader.next() {
                switch item {
                case .tag(let tag): try read(tag)
                case .address(let text, let line): try appendSegment(text, line: line)
                }
            }
            guard header.hasMediaTag else { throw PlaylistError(.notHLS) }
            fillDatesBackwards()
        }

        /// Handles one tag.
        private mutating func read(_ tag: PlaylistTag) throws(PlaylistError) {
            if tag.name == "EXTINF" { return try readSegmentTag(tag) }
            if !header.hasMediaTag { header.hasMediaTag = HLSPlaylist.mediaTags.contains(tag.name) }
            switch tag.name {
            case "EXT-X-TARGETDURATION":
                guard let duration = DecimalText.billionths(tag.value), duration <= reader.limits.segmentDuration else {
                    throw tag.invalidValueError()
                }
                header.targetDuration = header.targetDuration ?? duration
            case "EXT-X-PLAYLIST-TYPE":
                switch tag.text {
                case "VOD": header.kind = .vod
                case "EVENT": header.kind = .event
                default: reader.warn(tag.invalidValueError())
                }
            case "EXT-X-ENDLIST": header.isEnded = true
            case "EXT-X-I-FRAMES-ONLY": header.isIFramesOnly = true
            case "EXT-X-SERVER-CONTROL": header.serverControl = ServerControl(try reader.attributes(of: tag))
            case "EXT-X-MEDIA-SEQUENCE":
                guard let number = try sequenceNumber(tag) else { return }
                state.number = number
            case "EXT-X-DISCONTINUITY-SEQUENCE":
                guard let number = try sequenceNumber(tag) else { return }
                state.discontinuity = number
            case "EXT-X-SKIP": try completeDelta(try reader.attributes(of: tag))
            default: try readSegmentTag(tag)
            }
        }

        /// Returns the number of a tag that states a sequence number; nil, with a warning, if segments precede the tag.
        private mutating func sequenceNumber(_ tag: PlaylistTag) throws(PlaylistError) -> Int? {
            guard let number = DecimalText.integer(tag.value), number <= PlaylistLimits.largestSequenceNumber else {
                throw tag.invalidValueError()
            }
            guard segments.isEmpty else {
                reader.warn(PlaylistError(.misplacedTag(tag.name), line: tag.line))
                return nil
            }
            return number
        }

        /// Computes the dates of the segments before the first stated date from their durations.
        private mutating func fillDatesBackwards() {
            guard let firstDatedIndex = segments.firstIndex(where: { $0.date != nil }),
                var date = segments[firstDatedIndex].date
            else {
                return
            }
            for index in segments.indices[..<firstDatedIndex].reversed() {
                let (earlierDate, hasOverflowed) = date.subtractingReportingOverflow(segments[index].duration)
                guard !hasOverflowed else { return }
                segments[index].date = earlierDate
                date = earlierDate
            }
        }
    }
}
