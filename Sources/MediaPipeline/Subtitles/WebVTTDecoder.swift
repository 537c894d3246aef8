import CFFmpeg

/// Converts WebVTT cues to ASS events. Used by one thread.
struct WebVTTDecoder: ~Copyable {
    private let decoder: SubtitleDecoder

    init() throws(MediaError) {
        guard
            let parameters = CodecParameters(
                subtitles: AV_CODEC_ID_WEBVTT, header: [], timeBase: TimeBase(TimeBase.nanoseconds))
        else { throw MediaError(.outOfMemory, "no memory for a decoder") }
        decoder = try SubtitleDecoder(parameters: parameters, origin: 0)
    }

    /// Returns the ASS events of a cue; no events if its text is empty or damaged.
    func decode(_ cue: WebVTTCue) -> [SubtitleEvent] {
        let text = Array(cue.text.utf8)
        guard let packet = Packet(), av_new_packet(packet.pointer, Int32(clamping: text.count)) >= 0,
            let packetBytes = packet.pointer.pointee.data
        else { return [] }
        packetBytes.update(from: text, count: text.count)
        packet.pointer.pointee.pts = cue.start
        packet.pointer.pointee.duration = cue.end &- cue.start
        return decoder.decode(packet)
    }
}
