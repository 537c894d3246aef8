import CFFmpeg
import StreamPlaylists

/// The audio tracks of a stream. The variants contain the audio, or separate renditions do.
extension StreamSource {
    /// Describes an audio track.
    ///
    /// - Parameters:
    ///   - format: The format of the audio; nil if it is unknown.
    ///   - rendition: The rendition that contains the audio; nil if the variants contain it.
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

    /// Replaces the internal track number of audio from the variants by the played audio track's identifier; nil if a
    /// rendition's audio is played instead.
    func withPlayedAudioTrack(_ item: PacketSourceItem, from reader: RenditionReader) -> PacketSourceItem? {
        guard reader === variantReader, item.track == Self.muxedTrack else { return item }
        guard audioRenditionReader == nil, let track = playedTracks.audio else { return nil }
        switch item {
        case .packet(let packet): packet.pointer.pointee.stream_index = Int32(clamping: track)
        case .formatChange(_, let format): return .formatChange(track: track, format)
        default: break
        }
        return item
    }

    /// Converts the keys of `values` from the variants' internal track numbers to the identifiers of the played tracks.
    func withTrackIdentifiers(_ values: [Int: Int64]) -> [Int: Int64] {
        var result: [Int: Int64] = [:]
        for (track, value) in values {
            if let identifier = track == Self.muxedTrack ? playedTracks.audio : track { result[identifier] = value }
        }
        return result
    }
}
