import CFFmpeg

/// Recognises the packets before which a video decoder can be replaced by a new decoder without losing a picture: no
/// picture of that packet or of a later packet, in decoding order, refers to a picture before that packet.
///
/// A keyframe does not suffice: in an open group of pictures, pictures that are shown before the keyframe follow it and
/// refer to earlier pictures.
struct DecoderEntryPoints {
    /// The way in which a packet separates its NAL units.
    private enum NALUnitLayout {
        /// NAL units begin with start codes (ITU-T H.264, annex B).
        case startCodes
        /// A length of this many bytes precedes each NAL unit (ISO/IEC 14496-15).
        case lengthPrefixes(byteCount: Int)
    }

    /// The codecs whose packets are examined.
    private enum Codec {
        case h264(NALUnitLayout)
        case hevc(NALUnitLayout)
        /// A codec in which no picture after a keyframe refers to a picture before the keyframe.
        case closedGroupsOnly
        /// Any other codec; its packets are never entry points.
        case unknown
    }

    private let codec: Codec

    init(_ parameters: CodecParameters) {
        let codecParameters = parameters.pointer.pointee
        let header = UnsafeBufferPointer(
            start: codecParameters.extradata,
            count: codecParameters.extradata == nil ? 0 : Int(max(0, codecParameters.extradata_size)))
        codec =
            switch codecParameters.codec_id {
            case AV_CODEC_ID_H264: .h264(Self.layout(header, lengthOffset: 4))
            case AV_CODEC_ID_HEVC: .hevc(Self.layout(header, lengthOffset: 21))
            case AV_CODEC_ID_VP8, AV_CODEC_ID_VP9: .closedGroupsOnly
            default: .unknown
            }
    }

    /// Returns the way in which packets separate their NAL units, as the track's header states it. A configuration
    /// record (`avcC`, `hvcC`) begins with its version, 1.
    private static func layout(_ header: UnsafeBufferPointer<UInt8>, lengthOffset: Int) -> NALUnitLayout {
        guard header.count > lengthOffset, header[0] == 1 else { return .startCodes }
        return .lengthPrefixes(byteCount: Int(header[lengthOffset] & 3) + 1)
    }

    /// Returns whether the decoder can be replaced before this packet.
    func contains(_ packet: Packet) -> Bool {
        guard packet.isKeyframe, let data = packet.pointer.pointee.data else { return false }
        let bytes = UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointer.pointee.size)))
        let layout: NALUnitLayout
        switch codec {
        case .closedGroupsOnly: return true
        case .unknown: return false
        case .h264(let codecLayout), .hevc(let codecLayout): layout = codecLayout
        }
        var position = 0
        while let unitStart = Self.nextUnit(bytes, layout, &position) {
            if let isInstantaneousRefresh = isInstantaneousRefresh(bytes[unitStart]) { return isInstantaneousRefresh }
        }
        return false
    }

    /// Returns whether a NAL unit is an instantaneous decoding refresh (IDR) picture; nil if it contains no picture.
    ///
    /// - Parameter header: The first byte of the NAL unit, which states its type.
    private func isInstantaneousRefresh(_ header: UInt8) -> Bool? {
        if case .hevc = codec {
            // The types below 32 contain pictures; 19 and 20 are instantaneous decoding refreshes.
            let unitType = header >> 1 & 0x3f
            return unitType < 32 ? 19...20 ~= unitType : nil
        }
        // The types 1 to 5 contain pictures; 5 is an instantaneous decoding refresh.
        let unitType = header & 0x1f
        return 1...5 ~= unitType ? unitType == 5 : nil
    }

    /// Returns the position of the first byte of the next NAL unit, and moves `position` behind the examined bytes; nil
    /// if no NAL unit follows.
    private static func nextUnit(
        _ bytes: UnsafeBufferPointer<UInt8>, _ layout: NALUnitLayout, _ position: inout Int
    ) -> Int? {
        switch layout {
        case .lengthPrefixes(let size):
            guard position + size < bytes.count else { return nil }
            let length = bytes[position..<position + size].reduce(0) { $0 << 8 | Int($1) }
            let unitStart = position + size
            position = unitStart + length
            return unitStart
        case .startCodes:
            while position + 3 < bytes.count {
                defer { position += 1 }
                if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 { return position + 3 }
            }
            return nil
        }
    }
}
