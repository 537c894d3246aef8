import CFFmpeg

/// Seeks in the container, and records the timestamps and keyframes that seeking needs.
extension Demuxer {
    /// Converts a packet's timestamps to the container's continuous timeline, and records keyframes if the container
    /// has no index.
    func assignTime(_ packet: Packet, of stream: UnsafeMutablePointer<AVStream>) {
        let avPacket = packet.pointer, streamTimeBase = TimeBase(stream.pointee.time_base),
            isVideo = stream == movingVideo
        let duration = streamTimeBase.nanoseconds(avPacket.pointee.duration) ?? 0
        if seekMethod == .byCount, isVideo {
            let (product, overflows) = position.packetCount.multipliedReportingOverflow(by: position.frameDuration)
            let time = overflows ? ReadingLimits.timeRange.upperBound : product.boundedTime
            avPacket.pointee.dts = streamTimeBase.timestamp(nanoseconds: time)
            avPacket.pointee.pts = cffmpeg_no_pts
            defer { position.packetCount += 1 }
            recordKeyframe(packet, at: time)
            _ = position.timeline.packetOffset(
                stream: Int(stream.pointee.index), time: time, duration: position.frameDuration, mayChangeOffset: true)
            return
        }
        guard
            let time = streamTimeBase.nanoseconds(avPacket.pointee.dts)
                ?? streamTimeBase.nanoseconds(avPacket.pointee.pts)
        else { return }
        let mayChangeOffset = stream.pointee.codecpar?.pointee.codec_type != AVMEDIA_TYPE_SUBTITLE
        guard
            let offset = position.timeline.packetOffset(
                stream: Int(stream.pointee.index), time: time, duration: duration, mayChangeOffset: mayChangeOffset)
        else {
            avPacket.pointee.dts = cffmpeg_no_pts
            avPacket.pointee.pts = cffmpeg_no_pts
            return
        }
        if offset != 0 {
            // Adding the shift may make a small timestamp negative.
            let timestampShift = streamTimeBase.timestamp(nanoseconds: offset)
            if avPacket.pointee.dts != cffmpeg_no_pts { avPacket.pointee.dts = avPacket.pointee.dts &+ timestampShift }
            if avPacket.pointee.pts != cffmpeg_no_pts { avPacket.pointee.pts = avPacket.pointee.pts &+ timestampShift }
        }
        if isPlaylist, isVideo || stream == audio {
            opener.recordErrors()
            let missingPart = opener.missingParts.recordPacket(
                stream: Int(stream.pointee.index), at: time &+ offset, duration: duration,
                jumpCount: position.timeline.jumpCount)
            self.missingPart = missingPart ?? self.missingPart
        }
        if isVideo, seekMethod == .byTimestamp, let presentationTime = streamTimeBase.nanoseconds(avPacket.pointee.pts)
        {
            recordKeyframe(packet, at: presentationTime)
        }
    }

    /// Stores the position of a packet if it is a keyframe.
    private func recordKeyframe(_ packet: Packet, at time: Int64) {
        guard cffmpeg_is_key_packet(packet.pointer) != 0, packet.pointer.pointee.pos >= 0 else { return }
        position.index.insert(
            KeyframeIndex.Entry(
                time: time, position: packet.pointer.pointee.pos, offset: position.timeline.offset,
                precedingPacketCount: position.packetCount))
    }

    /// Seeks to the keyframe at or before `time` (nanoseconds on the item's timeline).
    func seek(to time: Int64) throws(MediaError) {
        guard let stream = movingVideo ?? audio else { throw MediaError(.input, "no stream to seek in") }
        opener.isSeeking = true
        defer { opener.isSeeking = false }
        root.pointee.error = 0
        opener.missingParts.restart()
        let targetTime = time &+ origin
        if stream == movingVideo, seekMethod != .native, try seekByPosition(to: targetTime, in: stream) { return }
        let streamTimeBase = TimeBase(stream.pointee.time_base)
        let timestamp = streamTimeBase.timestamp(nanoseconds: targetTime &- position.timeline.offset)
        var code = av_seek_frame(format, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD)
        // If `time` lies before the first keyframe, seek to the first keyframe. If that fails, too, seek to the start
        // of the file.
        if code < 0 { code = avformat_seek_file(format, stream.pointee.index, Int64.min, timestamp, Int64.max, 0) }
        if code < 0 { code = av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE) }
        if code < 0 { throw MediaError(ffmpeg: code, doing: "cannot seek") }
        position.timeline.restart(offset: position.timeline.offset)
        position.retriableSeek = seekMethod == .native && stream == movingVideo ? (targetTime, 0) : nil
    }

    /// Retries a seek from an earlier position. Some containers without an index return no packet after a seek near the
    /// end (FLV takes its end marker for a keyframe). Retries from positions further and further before the target. If
    /// the file was already read beyond the target, starts at the beginning.
    ///
    /// - Returns: false if no retry is left, or if the media really ends before the target.
    func seekFurtherBack() -> Bool {
        guard let (target, attemptCount) = position.retriableSeek, let movingVideo else { return false }
        let streamTimeBase = TimeBase(movingVideo.pointee.time_base)
        let end = statedDuration.map { min(target, origin &+ $0) } ?? target
        for (attemptIndex, distance) in Self.searchDistances.enumerated().dropFirst(attemptCount) {
            let timestamp = streamTimeBase.timestamp(nanoseconds: end &- distance &- position.timeline.offset)
            guard av_seek_frame(format, movingVideo.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0 else {
                continue
            }
            position.timeline.restart(offset: position.timeline.offset)
            position.retriableSeek = (target, attemptIndex + 1)
            return true
        }
        position.retriableSeek = nil
        guard target < (position.timeline.end ?? origin) &+ 1_000_000_000,
            av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE) >= 0
        else { return false }
        position.timeline.restart(offset: 0)
        return true
    }

    /// The longest time, in nanoseconds, for which a subtitle line is assumed to be shown.
    private static let longestSubtitleDuration: Int64 = 30_000_000_000

    /// Returns the last subtitle line before `time`, if the line starts before the keyframe from which a seek to `time`
    /// reads. Only for Matroska, whose index contains subtitle lines; libavformat's MP4 demuxer returns such lines by
    /// itself.
    func earlierSubtitle(of track: Int, before time: Int64) -> SubtitleStart? {
        guard let subtitles = stream(track), let video = movingVideo,
            format.pointee.iformat.map({ String(cString: $0.pointee.name).hasPrefix("matroska") }) == true
        else { return nil }
        func indexEntry(in stream: UnsafeMutablePointer<AVStream>) -> (time: Int64, timestamp: Int64)? {
            let streamTimeBase = TimeBase(stream.pointee.time_base)
            let entry = avformat_index_get_entry_from_timestamp(
                stream, streamTimeBase.timestamp(nanoseconds: time &+ origin), AVSEEK_FLAG_BACKWARD)
            guard let timestamp = entry?.pointee.timestamp else { return nil }
            return streamTimeBase.nanoseconds(timestamp).map { ($0 &- origin, timestamp) }
        }
        guard let line = indexEntry(in: subtitles), let keyframe = indexEntry(in: video), line.time < keyframe.time,
            line.time > time &- Self.longestSubtitleDuration
        else { return nil }
        return SubtitleStart(time: line.time, timestamp: line.timestamp)
    }

    /// The distances before a seek's target, in nanoseconds, at which a keyframe is searched for.
    private static let searchDistances: [Int64] = [1, 4, 16, 64].map { $0 * 1_000_000_000 }

    /// Seeks to a keyframe by its byte position, in a container whose demuxer does not find keyframes. Searches for the
    /// keyframe by reading if it is not known.
    ///
    /// - Returns: false if no position was found.
    private func seekByPosition(to target: Int64, in stream: UnsafeMutablePointer<AVStream>) throws(MediaError) -> Bool
    {
        // All keyframes near the target are known in two cases: the target lies between two adjacent recorded
        // keyframes, or it lies in the part already read of a file with timestamp jumps.
        if let keyframe = position.index.last(atOrBefore: target),
            position.index.isDense(at: target) || position.timeline.jumpCount > 0 && seekMethod == .byTimestamp
        {
            return seek(to: keyframe)
        }
        guard seekMethod == .byTimestamp else {
            let lastKeyframe = position.index.entries.last ?? .start
            guard seek(to: lastKeyframe) else { return false }
            _ = try searchKeyframe(for: target, in: stream)
            return seek(to: position.index.last(atOrBefore: target) ?? .start)
        }
        let streamTimeBase = TimeBase(stream.pointee.time_base)
        for distance in Self.searchDistances where target &- distance > origin {
            let timestamp = streamTimeBase.timestamp(nanoseconds: target &- distance &- position.timeline.offset)
            guard av_seek_frame(format, stream.pointee.index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0 else { break }
            position.timeline.restart(offset: position.timeline.offset)
            if let keyframe = try searchKeyframe(for: target, in: stream) {
                return seek(to: keyframe)
            }
        }
        guard av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE) >= 0 else { return false }
        position.timeline.restart(offset: 0)
        if let keyframe = try searchKeyframe(for: target, in: stream) { return seek(to: keyframe) }
        // There is no keyframe before the target: start at the beginning.
        return seek(to: KeyframeIndex.Entry.start)
    }

    /// Seeks to a recorded keyframe.
    ///
    /// - Returns: false if libavformat cannot seek to its byte position.
    func seek(to entry: KeyframeIndex.Entry) -> Bool {
        guard av_seek_frame(format, -1, entry.position, AVSEEK_FLAG_BYTE) >= 0 else { return false }
        position.timeline.restart(offset: entry.offset)
        position.packetCount = entry.precedingPacketCount
        return true
    }

    /// Reads until decoding times exceed `target`, and records the keyframes found on the way.
    ///
    /// - Returns: The last keyframe found at or before `target`.
    func searchKeyframe(
        for target: Int64, in stream: UnsafeMutablePointer<AVStream>
    ) throws(MediaError) -> KeyframeIndex.Entry? {
        guard let packet = Packet() else { throw MediaError(.outOfMemory, "no memory for a packet") }
        let streamTimeBase = TimeBase(stream.pointee.time_base)
        var hasFoundKeyframe = false
        while try read(into: packet) {
            defer { av_packet_unref(packet.pointer) }
            if opener.isCancelled { throw MediaError(.interrupted, "the seek was cancelled") }
            guard packet.pointer.pointee.stream_index == stream.pointee.index else { continue }
            if let time = streamTimeBase.nanoseconds(packet.pointer.pointee.pts)
                ?? streamTimeBase.nanoseconds(packet.pointer.pointee.dts)
            {
                if cffmpeg_is_key_packet(packet.pointer) != 0, time <= target { hasFoundKeyframe = true }
                if let decodingTime = streamTimeBase.nanoseconds(packet.pointer.pointee.dts), decodingTime > target {
                    break
                }
            }
        }
        return hasFoundKeyframe ? position.index.last(atOrBefore: target) : nil
    }
}
