import CFFmpeg

extension Demuxer {
    /// The maximum number of tags read from a file.
    private static let tagLimit = 4096

    /// The container's tags; if it has none, the played track's tags, because Ogg stores the tags there.
    var tags: [MediaInfo.Tag] {
        let containerTags = Self.tags(format.pointee.metadata)
        return containerTags.isEmpty ? Self.tags((audio ?? video)?.pointee.metadata) : containerTags
    }

    /// Converts FFmpeg's dictionary of tags; keys become lower case.
    private static func tags(_ dictionary: OpaquePointer?) -> [MediaInfo.Tag] {
        var tags: [MediaInfo.Tag] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let nextEntry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX), tags.count < tagLimit {
            entry = nextEntry
            guard let key = nextEntry.pointee.key, let value = nextEntry.pointee.value else { continue }
            tags.append(MediaInfo.Tag(key: String(cString: key).lowercased(), value: String(cString: value)))
        }
        return tags
    }
}
