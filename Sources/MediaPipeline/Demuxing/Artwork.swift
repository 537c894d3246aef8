import CFFmpeg

/// A cover picture in a container, as a compressed image.
package final class Artwork: Sendable, Equatable {
    /// The format of the image; the raw value is the usual extension of file names.
    package enum Format: String, Sendable {
        case jpeg = "jpg"
        case png, gif, bmp, webp
    }

    package let format: Format
    /// The contents of the image file.
    package let bytes: [UInt8]

    /// The maximum size of a cover in bytes. Larger covers are ignored.
    static let sizeLimit = 8 << 20

    init(format: Format, bytes: [UInt8]) { (self.format, self.bytes) = (format, bytes) }

    package static func == (a: Artwork, b: Artwork) -> Bool { a === b || a.format == b.format && a.bytes == b.bytes }
}

extension Artwork.Format {
    /// Creates the format of a cover that FFmpeg decodes with a codec; nil for other codecs.
    init?(_ codec: AVCodecID) {
        switch codec {
        case AV_CODEC_ID_MJPEG: self = .jpeg
        case AV_CODEC_ID_PNG: self = .png
        case AV_CODEC_ID_GIF: self = .gif
        case AV_CODEC_ID_BMP: self = .bmp
        case AV_CODEC_ID_WEBP: self = .webp
        default: return nil
        }
    }
}

extension Demuxer {
    /// The first cover picture in the container; nil if there is none.
    var artwork: Artwork? {
        for index in 0..<Int(format.pointee.nb_streams) {
            guard let stream = format.pointee.streams[index],
                stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                let parameters = stream.pointee.codecpar, let format = Artwork.Format(parameters.pointee.codec_id)
            else { continue }
            let picture = stream.pointee.attached_pic, size = Int(picture.size)
            guard let data = picture.data, 1...Artwork.sizeLimit ~= size else { continue }
            return Artwork(format: format, bytes: Array(UnsafeBufferPointer(start: data, count: size)))
        }
        return nil
    }
}
