extension MultivariantPlaylist {
    /// Collects the contents of a multivariant playlist line by line.
    struct Parser {
        /// The reader that returns the tags and addresses of the playlist one after the other.
        var reader: PlaylistReader
        /// The variants read so far.
        private(set) var variants: [VariantStream] = []
        /// The I-frame streams read so far.
        private(set) var iFrameStreams: [VariantStream] = []
        /// The renditions read so far.
        private(set) var renditions: [Rendition] = []
        /// The keys read so far that can be loaded before any media playlist (`EXT-X-SESSION-KEY`).
        private(set) var sessionKeys: [EncryptionKey] = []
        /// The attributes of the variant whose address has not been read yet.
        private var pendingVariant: AttributeList?
        /// The number of tags of variants, renditions and I-frame streams, including damaged ones.
        private var streamCount = 0

        init(_ reader: PlaylistReader) { self.reader = reader }

        /// Reads the whole playlist.
        mutating func parse() throws(PlaylistError) {
            while let item = try reader.next() {
                switch item {
                case .tag(let tag): try read(tag)
                case .address(let text, let line): try read(text, line: line)
                }
            }
            dropPendingVariant()
        }

        /// Handles one tag.
        private mutating func read(_ tag: PlaylistTag) throws(PlaylistError) {
            let base = reader.base
            switch tag.name {
            case "EXT-X-STREAM-INF":
                dropPendingVariant()
                try countStream(tag)
                pendingVariant = try reader.attributes(of: tag)
            case "EXT-X-I-FRAME-STREAM-INF":
                try countStream(tag)
                let attributes = try reader.attributes(of: tag)
                let stream = parseOrWarn { () throws(PlaylistError) -> VariantStream in
                    guard let address = try attributes.address("URI", in: base) else {
                        throw tag.missingAttributeError("URI")
                    }
                    return VariantStream(attributes, address: address)
                }
                if let stream { iFrameStreams.append(stream) }
            case "EXT-X-MEDIA":
                try countStream(tag)
                let attributes = try reader.attributes(of: tag)
                let rendition = parseOrWarn { () throws(PlaylistError) in try Rendition(attributes, in: base) }
                if let rendition { renditions.append(rendition) }
            case "EXT-X-SESSION-KEY":
                let attributes = try reader.attributes(of: tag)
                let key = parseOrWarn { () throws(PlaylistError) in try EncryptionKey(attributes, in: base) }
                if let key = key ?? nil, sessionKeys.count < reader.limits.streams { sessionKeys.append(key) }
            case _ where HLSPlaylist.mediaTags.contains(tag.name):
                throw PlaylistError(.misplacedTag(tag.name), line: tag.line)
            default: break
            }
        }

        /// Handles an address: completes the variant whose tag precedes it.
        private mutating func read(_ text: ArraySlice<UInt8>, line: Int) throws(PlaylistError) {
            guard let attributes = pendingVariant.take() else {
                reader.warn(PlaylistError(.invalidAddress(String(decoding: text, as: UTF8.self)), line: line))
                return
            }
            let base = reader.base
            let address = parseOrWarn { () throws(PlaylistError) in try PlaylistAddress(text, in: base, line: line) }
            guard let address else { return }
            if attributes.integer("BANDWIDTH") == nil { reader.warn(attributes.tag.missingAttributeError("BANDWIDTH")) }
            variants.append(VariantStream(attributes, address: address))
        }

        /// Warns about a variant without an address.
        private mutating func dropPendingVariant() {
            guard let attributes = pendingVariant.take() else { return }
            reader.warn(PlaylistError(.invalidAddress(""), line: attributes.tag.line))
        }

        /// Returns the variant, rendition or key that `read` creates; turns an error into a warning.
        private mutating func parseOrWarn<Part>(_ read: () throws(PlaylistError) -> Part) -> Part? {
            do throws(PlaylistError) {
                return try read()
            } catch {
                reader.warn(error)
                return nil
            }
        }

        /// Counts a variant, rendition or I-frame stream. Throws an error if there are too many.
        private mutating func countStream(_ tag: PlaylistTag) throws(PlaylistError) {
            streamCount += 1
            guard streamCount <= reader.limits.streams else {
                throw PlaylistError(.tooManyStreams(limit: reader.limits.streams), line: tag.line)
            }
        }
    }
}
