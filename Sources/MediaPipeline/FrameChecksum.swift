import CFFmpeg
import SharedFrames

/// Computes the MD5 of a decoded picture's visible samples, plane after plane without padding, as FFmpeg's `framemd5`
/// does.
enum FrameChecksum {
    /// Returns the record of a decoded picture with its checksum.
    static func picture(of frame: UnsafeMutablePointer<AVFrame>, streamTime: Int64?) -> DecodedPicture {
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
            md5: md5 { update in bytes.withUnsafeBytes { update($0) } })
    }

    /// Returns the MD5, in hexadecimal digits, of all data that `body` passes to its argument; empty if memory is
    /// exhausted.
    static func md5(_ body: ((UnsafeRawBufferPointer) -> Void) -> Void) -> String {
        guard let state = av_md5_alloc() else { return "" }
        defer { av_free(UnsafeMutableRawPointer(state)) }
        av_md5_init(state)
        body { av_md5_update(state, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
        var digest = [UInt8](repeating: 0, count: 16)
        av_md5_final(state, &digest)
        return digest.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
