import CFFmpeg

/// A font attached to the media.
package struct SubtitleFont: Sendable, Equatable {
    /// The file name of the font.
    package let name: String
    /// The content of the font file.
    package let bytes: [UInt8]

    /// The maximum size of all fonts of an item together, in bytes.
    static let byteLimit = 64 << 20

    /// Returns the fonts attached to an open container.
    static func all(of format: UnsafeMutablePointer<AVFormatContext>) -> [SubtitleFont] {
        var fonts: [SubtitleFont] = []
        var totalByteCount = 0
        for index in 0..<Int(format.pointee.nb_streams) {
            guard let stream = format.pointee.streams[index], let parameters = stream.pointee.codecpar,
                parameters.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT, let data = parameters.pointee.extradata
            else { continue }
            let count = Int(parameters.pointee.extradata_size)
            guard count > 0, totalByteCount + count <= byteLimit, isFont(stream) else { continue }
            totalByteCount += count
            fonts.append(
                SubtitleFont(
                    name: tag("filename", stream) ?? "font \(index)",
                    bytes: Array(UnsafeBufferPointer(start: data, count: count))))
        }
        return fonts
    }

    /// Returns whether an attachment is a font, by its codec, type or file name.
    private static func isFont(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let id = stream.pointee.codecpar.pointee.codec_id
        if id == AV_CODEC_ID_TTF || id == AV_CODEC_ID_OTF { return true }
        let mimeType = tag("mimetype", stream)?.lowercased() ?? "", name = tag("filename", stream)?.lowercased() ?? ""
        return mimeType.contains("font") || mimeType.contains("truetype")
            || [".ttf", ".otf", ".ttc"].contains { name.hasSuffix($0) }
    }

    /// Returns a tag of a stream's metadata; nil if it is missing.
    private static func tag(_ name: String, _ stream: UnsafeMutablePointer<AVStream>) -> String? {
        av_dict_get(stream.pointee.metadata, name, nil, 0).flatMap { $0.pointee.value }.map { String(cString: $0) }
    }
}
