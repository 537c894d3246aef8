import CFFmpeg

/// The conversion of a picture to an image file, with FFmpeg's encoders.
package enum StillEncoder {
    /// The format of an image file.
    package enum Format: String, Sendable {
        case png, jpg

        /// Creates a format from mpv's name; nil for other formats.
        package init?(name: String) {
            switch name {
            case "png": self = .png
            case "jpg", "jpeg": self = .jpg
            default: return nil
            }
        }
    }

    /// Returns the bytes of an image file.
    ///
    /// - Parameters:
    ///   - pixels: `height` rows of `width` pixels without padding, four bytes each: blue, green, red, and an unused
    ///     byte.
    /// - Throws: `unsupportedFormat` if the encoder is missing or fails.
    package static func encode(_ pixels: [UInt8], width: Int, height: Int, as format: Format) throws(MediaError)
        -> [UInt8]
    {
        let failure = MediaError(.unsupportedFormat, "the picture cannot be encoded as \(format.rawValue)")
        guard width > 0, height > 0, width <= 16_384, height <= 16_384, pixels.count >= width * height * 4,
            let encoder = avcodec_find_encoder(format == .png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG)
        else { throw failure }
        var context = avcodec_alloc_context3(encoder), frame = av_frame_alloc(), packet = av_packet_alloc()
        defer {
            av_packet_free(&packet)
            av_frame_free(&frame)
            avcodec_free_context(&context)
        }
        guard let context, let frame, let packet else { throw failure }
        (context.pointee.width, context.pointee.height) = (Int32(width), Int32(height))
        context.pointee.time_base = AVRational(num: 1, den: 1)
        context.pointee.pix_fmt = format == .png ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUVJ444P
        context.pointee.color_range = AVCOL_RANGE_JPEG
        // The best quality of JPEG; quantizers of 1 and less are refused.
        (context.pointee.qmin, context.pointee.qmax) = (2, 2)
        (frame.pointee.width, frame.pointee.height) = (Int32(width), Int32(height))
        frame.pointee.format = context.pointee.pix_fmt.rawValue
        guard avcodec_open2(context, encoder, nil) >= 0, av_frame_get_buffer(frame, 0) >= 0 else { throw failure }
        fill(frame, pixels, width: width, height: height, as: format)
        guard avcodec_send_frame(context, frame) >= 0, avcodec_send_frame(context, nil) >= 0,
            avcodec_receive_packet(context, packet) >= 0, let data = packet.pointee.data
        else { throw failure }
        return Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
    }

    /// Converts pixels into the format of a frame: RGB for PNG, YCbCr of full range for JPEG.
    private static func fill(
        _ frame: UnsafeMutablePointer<AVFrame>, _ pixels: [UInt8], width: Int, height: Int, as format: Format
    ) {
        let data = frame.pointee.data, stride = Int(frame.pointee.linesize.0)
        for y in 0..<height {
            for x in 0..<width {
                let index = (y * width + x) * 4
                let (blue, green, red) = (pixels[index], pixels[index + 1], pixels[index + 2])
                if format == .png {
                    guard let target = data.0.map({ $0 + y * stride + x * 3 }) else { return }
                    (target[0], target[1], target[2]) = (red, green, blue)
                } else {
                    // The matrix of JPEG (ITU-R BT.601) in 16-bit fixed point.
                    let (r, g, b) = (Int(red), Int(green), Int(blue))
                    data.0?[y * stride + x] = UInt8(clamping: (19595 * r + 38470 * g + 7471 * b + 32768) >> 16)
                    data.1?[y * Int(frame.pointee.linesize.1) + x] = UInt8(
                        clamping: (-11059 * r - 21709 * g + 32768 * b + 8_421_375) >> 16)
                    data.2?[y * Int(frame.pointee.linesize.2) + x] = UInt8(
                        clamping: (32768 * r - 27439 * g - 5329 * b + 8_421_375) >> 16)
                }
            }
        }
    }
}

/// Checksums of bytes.
package enum Digest {
    /// Returns the MD5 of a text in hexadecimal digits.
    package static func md5(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return ChecksumHash.md5.hash { update in bytes.withUnsafeBytes { update($0) } }
    }
}
