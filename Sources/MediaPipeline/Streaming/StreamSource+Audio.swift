import CFFmpeg

/// The audio tracks of a stream, whose sound is in the variants or in renditions.
extension StreamSource {
    /// Describes an audio track.
    ///
    /// - Parameters:
    ///   - format: The format of the sound; nil if it is unknown.
    ///   - rendition: The rendition; nil for the sound of the variants.
    static func audioTrack(_ id: Int, _ format: CodecParameters?, _ rendition: Rendition?) -> MediaTrack {
        var track = MediaTrack(id: id, kind: .audio, codec: format?.codecName ?? "")
        if let parameters = format?.pointer.pointee {
            track.sampleRate = max(0, Int(parameters.sample_rate))
            track.channels = max(0, Int(parameters.ch_layout.nb_channels))
        }
        guard let rendition else { return track }
        (track.title, track.language, track.isDefault) = (rendition.name, rendition.language, rendition.isDefault)
        track.isForVisualImpaired = rendition.characteristics.contains("public.accessibility.describes-video")
        if let count = rendition.channels?.split(separator: "/").first.flatMap({ Int($0) }) { track.channels = count }
        return track
    }

    /// Gives the sound in the variants the identifier of the played audio track; nil if a rendition is played instead.
    func placed(_ item: PacketSourceItem, from reader: RenditionReader) -> PacketSourceItem? {
        guard reader === main, item.track == Self.muxedTrack else { return item }
        guard audio == nil, let track = played.audio else { return nil }
        switch item {
        case .packet(let packet): packet.pointer.pointee.stream_index = Int32(clamping: track)
        case .formatChange(_, let format): return .formatChange(track: track, format)
        default: break
        }
        return item
    }

    /// Returns values of the variants' tracks by the identifiers of the played tracks.
    func withTrackIdentifiers(_ values: [Int: Int64]) -> [Int: Int64] {
        var result: [Int: Int64] = [:]
        for (track, value) in values {
            if let known = track == Self.muxedTrack ? played.audio : track { result[known] = value }
        }
        return result
    }
}
