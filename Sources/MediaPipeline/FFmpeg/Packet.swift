import CFFmpeg

/// The owner of one compressed packet of a track (`AVPacket`).
///
/// `@unchecked Sendable`: the demuxer fills the packet before enqueuing it; one decoder reads the packet after
/// dequeuing it.
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

    /// The index of the packet's track.
    var track: Int { Int(pointer.pointee.stream_index) }
    /// Whether decoding can start with this packet.
    var isKeyframe: Bool { cffmpeg_is_key_packet(pointer) != 0 }

    /// Whether the packet is encrypted. Decoders produce noise from such packets.
    var isEncrypted: Bool {
        var size = 0
        return av_packet_get_side_data(pointer, AV_PKT_DATA_ENCRYPTION_INFO, &size) != nil
    }

    /// Whether the packet changes the parameters with which the decoder was opened.
    var changesParameters: Bool {
        var size = 0
        return av_packet_get_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, &size) != nil
            || av_packet_get_side_data(pointer, AV_PKT_DATA_PARAM_CHANGE, &size) != nil
    }

    /// The memory that the packet uses, in bytes. Side data (Matroska's block additions) can be larger than the packet.
    var byteCount: Int {
        let avPacket = pointer.pointee
        return (0..<max(0, Int(avPacket.side_data_elems))).reduce(max(0, Int(avPacket.size)) + 256) {
            $0 + Int(avPacket.side_data[$1].size)
        }
    }
}

/// The owner of a decoder's output frame, which one thread reuses.
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
