import CFFmpeg

/// Places the packets of the current segment on the item's timeline, and detects format changes.
extension RenditionReader {
    /// Returns the format changes of the tracks at the start of a segment.
    func formatChanges(_ demuxer: SegmentDemuxer) -> [PacketSourceItem] {
        var changeItems: [PacketSourceItem] = []
        for (kind, track) in tracks.sorted(by: { $0.value < $1.value }) {
            guard let stream = demuxer.stream(kind.mediaType),
                let newFormat = CodecParameters(stream: stream)?.withNanosecondTimeBase()
            else { continue }
            if let oldFormat = formats[track], !newFormat.isCompatible(with: oldFormat) {
                // A damaged start of a segment may lack parameters: the decoder keeps its old parameters.
                if newFormat.isIncompleteVersion(of: oldFormat) { continue }
                changeItems.append(.formatChange(track: track, newFormat))
            }
            formats[track] = newFormat
        }
        return changeItems
    }

    /// The format of a track in the current segment.
    func format(of track: Int) -> CodecParameters? { formats[track] }

    /// Returns the duration of a packet in nanoseconds; 0 if it is unknown. If libavformat states no duration for an
    /// audio packet, as before it has parsed the format, the codec's frame size determines the duration.
    private func duration(of packet: Packet, in stream: UnsafeMutablePointer<AVStream>, _ track: Int) -> Int64 {
        let avPacket = packet.pointer.pointee
        if let statedDuration = TimeBase(stream.pointee.time_base).nanoseconds(avPacket.duration), statedDuration > 0 {
            return statedDuration
        }
        let candidates = [stream.pointee.codecpar, formats[track]?.pointer].compactMap(\.self)
        guard
            let parameters = candidates.first(where: {
                $0.pointee.codec_type == AVMEDIA_TYPE_AUDIO && $0.pointee.sample_rate > 0
            })
        else { return 0 }
        let sampleCount = av_get_audio_frame_duration2(parameters, avPacket.size)
        return Int64(max(sampleCount, 0)) * 1_000_000_000 / Int64(parameters.pointee.sample_rate)
    }

    /// Converts a packet's timestamps to the item's timeline and returns the packets that can be delivered now.
    ///
    /// - Returns: An empty array if the packet is not needed, or if a picture has to wait for other pictures.
    func deliver(_ packet: Packet, _ reader: SegmentReader, _ clock: inout StreamClock) -> [PacketSourceItem] {
        let avPacket = packet.pointer
        guard let stream = reader.demuxer.stream(at: avPacket.pointee.stream_index),
            let type = stream.pointee.codecpar?.pointee.codec_type, stream == reader.demuxer.stream(type),
            let kind = MediaTrack.Kind(type), let track = tracks[kind]
        else { return [] }
        let streamTimeBase = TimeBase(stream.pointee.time_base)
        let timestamps = (
            pts: streamTimeBase.wideNanoseconds(avPacket.pointee.pts),
            dts: streamTimeBase.wideNanoseconds(avPacket.pointee.dts)
        )
        let offset = reader.offset(first: timestamps.pts ?? timestamps.dts, &clock)
        let duration = duration(of: packet, in: stream, track)
        // libavformat leaves out the times of some audio packets of transport streams; such a packet follows the
        // previous one.
        let time =
            timestamps.pts.map { reader.timelineTime(of: $0, offset: offset) }
            ?? (kind == .audio ? reader.endByTrack[track] : nil)
        if let time { reader.endByTrack[track] = time &+ duration }
        let decodingTime = timestamps.dts.map { reader.timelineTime(of: $0, offset: offset) } ?? time
        if kind == .video, let time, returnToEarlierSegmentIfNeeded(reader, first: time) { return [] }
        avPacket.pointee.pts = time ?? cffmpeg_no_pts
        avPacket.pointee.dts = decodingTime ?? cffmpeg_no_pts
        avPacket.pointee.duration = duration
        avPacket.pointee.time_base = TimeBase.nanoseconds
        avPacket.pointee.stream_index = Int32(clamping: track)
        if let decodingTime { readEndTime = max(readEndTime, decodingTime) }
        guard kind == .video else { return applyingOverlapRule(packet, reader, isVideo: false) }
        reader.pictures.add(packet, time: time, decodingTime: decodingTime)
        return readyPictures(of: reader, isSegmentComplete: reader.demuxer.bytes.isComplete)
    }

    /// Returns the pictures of a segment that need not wait for pictures shown before them.
    ///
    /// - Parameter isSegmentComplete: Whether the segment contains no more pictures.
    func readyPictures(of reader: SegmentReader, isSegmentComplete: Bool) -> [PacketSourceItem] {
        let readyPackets = isSegmentComplete ? reader.pictures.takeAll() : reader.pictures.takeReady()
        return readyPackets.flatMap { applyingOverlapRule($0, reader, isVideo: true) }
    }

    /// Returns a packet whose timestamps are on the item's timeline, with a flag if it is only decoded and not shown.
    /// Returns an empty array if the packet is not needed.
    private func applyingOverlapRule(_ packet: Packet, _ reader: SegmentReader, isVideo: Bool) -> [PacketSourceItem] {
        let avPacket = packet.pointer
        let time = avPacket.pointee.pts == cffmpeg_no_pts ? nil : avPacket.pointee.pts
        // Media after the end of a DASH period is not shown. Pictures after the end are decoded, because earlier ones
        // may need them.
        if reader.segment.flags.contains(.endsPeriod), let time, time >= reader.times.upperBound {
            guard isVideo else { return [] }
            avPacket.pointee.flags |= AV_PKT_FLAG_DISCARD
            return [.packet(packet)]
        }
        switch overlapRule.judge(track: packet.track, isVideo: isVideo, time: time, duration: avPacket.pointee.duration)
        {
        case .drop: return []
        case .decodeOnly: avPacket.pointee.flags |= AV_PKT_FLAG_DISCARD
        case .deliver: break
        }
        if avPacket.pointee.dts != cffmpeg_no_pts {
            checkpoints.recordDelivery(track: packet.track, decodingTime: avPacket.pointee.dts)
        }
        return [.packet(packet)]
    }
}

extension MediaTrack.Kind {
    /// FFmpeg's media type for this kind of track.
    var mediaType: AVMediaType {
        switch self {
        case .video: AVMEDIA_TYPE_VIDEO
        case .audio: AVMEDIA_TYPE_AUDIO
        case .subtitle: AVMEDIA_TYPE_SUBTITLE
        }
    }

    /// Creates the kind of track for FFmpeg's media type; nil for data and attachments.
    init?(_ type: AVMediaType) {
        guard let kind = Self.allCases.first(where: { $0.mediaType == type }) else { return nil }
        self = kind
    }
}
