import CFFmpeg

extension Demuxer {
    /// The maximum number of tags read from a file.
    private static let mostTags = 4096

    /// The container's tags, or those of the played track if the container has none (Ogg stores tags there).
    var tags: [MediaInfo.Tag] {
        let own = Self.tags(format.pointee.metadata)
        return own.isEmpty ? Self.tags((audio ?? video)?.pointee.metadata) : own
    }

    private static func tags(_ dictionary: OpaquePointer?) -> [MediaInfo.Tag] {
        var tags: [MediaInfo.Tag] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let found = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX), tags.count < mostTags {
            entry = found
            guard let key = found.pointee.key, let value = found.pointee.value else { continue }
            tags.append(MediaInfo.Tag(key: String(cString: key).lowercased(), value: String(cString: value)))
        }
        return tags
    }
}
