import CFFmpeg

/// The one owner of a compressed packet.
///
/// `@unchecked Sendable`: filled by the demuxer before it is handed on, read by one decoder after; a queue lies between.
final class Packet: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init?() {
        guard let pointer = av_packet_alloc() else { return nil }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }

    /// Bytes it holds on to.
    var byteCount: Int { max(0, Int(pointer.pointee.size)) + 256 }
}

/// The one owner of a decoder's output frame, used again and again by one thread.
struct DecodedFrame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init?() {
        guard let pointer = av_frame_alloc() else { return nil }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}
