import CFFmpeg

/// The one owner of a compressed packet.
///
/// `@unchecked Sendable`: filled by the demuxer before it is handed on, read by one decoder after; a queue lies
/// between.
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

    /// The number of its track.
    var track: Int { Int(pointer.pointee.stream_index) }
    var isKeyframe: Bool { cffmpeg_is_key_packet(pointer) != 0 }

    /// Whether a key would be needed for it: decoders make noise of such packets.
    var isEncrypted: Bool {
        var size = 0
        return av_packet_get_side_data(pointer, AV_PKT_DATA_ENCRYPTION_INFO, &size) != nil
    }

    /// Bytes it holds on to: what lies beside the picture (Matroska's additions) can be larger than it.
    var byteCount: Int {
        let p = pointer.pointee
        return (0..<max(0, Int(p.side_data_elems))).reduce(max(0, Int(p.size)) + 256) { $0 + Int(p.side_data[$1].size) }
    }
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
