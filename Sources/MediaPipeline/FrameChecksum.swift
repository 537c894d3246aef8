import CFFmpeg
import SharedFrames

/// Computes the checksum of a decoded picture's visible samples, plane after plane without padding, as FFmpeg's muxer
/// `framehash` does.
enum FrameChecksum {
    /// Returns the record of a decoded picture with its checksum.
    static func picture(of frame: UnsafeMutablePointer<AVFrame>, streamTime: Int64?, _ hash: ChecksumHash)
        -> DecodedPicture
    {
        let avFrame = frame.pointee, format = AVPixelFormat(avFrame.format)
        let size = av_image_get_buffer_size(format, avFrame.width, avFrame.height, 1)
        var bytes = [UInt8](repeating: 0, count: max(0, Int(size)))
        let planes = [avFrame.data.0, avFrame.data.1, avFrame.data.2, avFrame.data.3].map {
            $0.map { UnsafePointer($0) }
        }
        let strides = [avFrame.linesize.0, avFrame.linesize.1, avFrame.linesize.2, avFrame.linesize.3]
        if size > 0,
            av_image_copy_to_buffer(&bytes, size, planes, strides, format, avFrame.width, avFrame.height, 1) < 0
        {
            bytes = []
        }
        return DecodedPicture(
            streamTime: streamTime, width: Int(avFrame.width), height: Int(avFrame.height),
            format: av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "",
            checksum: hash.hash { update in bytes.withUnsafeBytes { update($0) } })
    }
}
