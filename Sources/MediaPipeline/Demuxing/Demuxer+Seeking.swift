import CFFmpeg

/// Seeking, and the data that seeking needs.
extension Demuxer {
    /// Converts a packet's timestamps to the joined timeline, and records keyframes if the container has no index.
    func place(_ packet: Packet, of stream: UnsafeMutablePointer<AVStream>) {
        let p = packet.pointer, base = TimeBase(stream.pointee.time_base), isVideo = stream == moving
        let duration = base.nanoseconds(p.pointee.duration) ?? 0
        if seeking == .byCount, isVideo {
            let (product, overflows) = position.counted.multipliedReportingOverflow(by: position.frameDuration)
            let time = overflows ? ReadingLimits.time.upperBound : product.boundedTime
            p.pointee.dts = base.stamp(nanoseconds: time)
            p.pointee.pts = cffmpeg_no_pts
            defer { position.counted += 1 }
            note(packet, at: time)
            _ = position.timeline.place(
                stream: Int(stream.pointee.index), time: time, duration: position.frameDuration, leads: true)
            return
        }
        guard let time = base.nanoseconds(p.pointee.dts) ?? base.nanoseconds(p.pointee.pts) else { return }
        let leads = stream.pointee.codecpar?.pointee.codec_type != AVMEDIA_TYPE_SUBTITLE
        guard
            let offset = position.timeline.place(
                stream: Int(stream.pointee.index), time: time, duration: duration, leads: leads)
        else {
            p.pointee.dts = cffmpeg_no_pts
            p.pointee.pts = cffmpeg_no_pts
            return
        }
        if offset != 0 {
            // A timestamp that was the first in the container may become negative here.
            let shift = base.stamp(nanoseconds: offset)
            if p.pointee.dts != cffmpeg_no_pts { p.pointee.dts = p.pointee.dts &+ shift }
            if p.pointee.pts != cffmpeg_no_pts { p.pointee.pts = p.pointee.pts &+ shift }
        }
        if isPlaylist, isVideo || stream == audio {
            opener.noteErrors()
            let hole = opener.missing.read(
                stream: Int(stream.pointee.index), at: time &+ offset, duration: duration,
                jumps: position.timeline.jumps)
            self.hole = hole ?? self.hole
        }
        if isVideo, seeking == .byStamp, let shown = base.nanoseconds(p.pointee.pts) { note(packet, at: shown) }
    }

    private func note(_ packet: Packet, at time: Int64) {
        guard cffmpeg_is_key_packet(packet.pointer) != 0, packet.pointer.pointee.pos >= 0 else { return }
        position.index.note(
            KeyframeIndex.Entry(
                time: time, position: packet.pointer.pointee.pos, offset: position.timeline.offset,
                count: position.counted))
    }

    /// Seeks to the keyframe at or before `time` (nanoseconds on the item's timeline).
    func seek(to time: Int64) throws(MediaError) {
        guard let stream = moving ?? audio else { throw MediaError(.input, "there is nothing to seek in") }
        opener.isSeeking = true
        defer { opener.isSeeking = false }
        root.pointee.error = 0
        opener.missing.restart()
        let target = time &+ origin
        if stream == moving, seeking != .native, try seekByPosition(to: target, in: stream) { return }
        let base = TimeBase(stream.pointee.time_base)
        let stamp = base.stamp(nanoseconds: target &- position.timeline.offset)
        var code = av_seek_frame(format, stream.pointee.index, stamp, AVSEEK_FLAG_BACKWARD)
        // Before the first keyframe, use the first keyframe. If that fails too, seek to the start of the file.
        if code < 0 { code = avformat_seek_file(format, stream.pointee.index, Int64.min, stamp, Int64.max, 0) }
        if code < 0 { code = av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE) }
        if code < 0 { throw MediaError(ffmpeg: code, doing: "cannot seek") }
        position.timeline.restart(offset: position.timeline.offset)
        position.freshlySought = seeking == .native && stream == moving ? (target, 0) : nil
    }

    /// Retries a seek from an earlier position. Some containers without an index return no packet after a seek near the
    /// end (FLV takes its end marker for a keyframe). Retries from positions further and further before the target. If
    /// the file was already read beyond the target, starts at the beginning.
    ///
    /// - Returns: false if no retry is left, or if the end is the true end.
    func seekFurtherBack() -> Bool {
        guard let (target, tries) = position.freshlySought, let moving else { return false }
        let base = TimeBase(moving.pointee.time_base)
        let end = length.map { min(target, origin &+ $0) } ?? target
        for (number, reach) in Self.reaches.enumerated().dropFirst(tries) {
            let stamp = base.stamp(nanoseconds: end &- reach &- position.timeline.offset)
            guard av_seek_frame(format, moving.pointee.index, stamp, AVSEEK_FLAG_BACKWARD) >= 0 else { continue }
            position.timeline.restart(offset: position.timeline.offset)
            position.freshlySought = (target, number + 1)
            return true
        }
        position.freshlySought = nil
        guard target < (position.timeline.end ?? origin) &+ 1_000_000_000,
            av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE) >= 0
        else { return false }
        position.timeline.restart(offset: 0)
        return true
    }

    /// Subtitle lines that start longer ago than this, in nanoseconds, are assumed to be over.
    private static let longestLine: Int64 = 30_000_000_000

    /// Returns the last subtitle line before `time`, if it starts before the keyframe from which a seek to `time`
    /// reads. Only for Matroska, whose index contains subtitle lines; MP4 finds them itself.
    func earlierLine(of track: Int, before time: Int64) -> SubtitleStart? {
        guard let lines = stream(track), let film = moving,
            format.pointee.iformat.map({ String(cString: $0.pointee.name).hasPrefix("matroska") }) == true
        else { return nil }
        func entry(_ stream: UnsafeMutablePointer<AVStream>) -> (time: Int64, stamp: Int64)? {
            let base = TimeBase(stream.pointee.time_base)
            let found = avformat_index_get_entry_from_timestamp(
                stream, base.stamp(nanoseconds: time &+ origin), AVSEEK_FLAG_BACKWARD)
            guard let stamp = found?.pointee.timestamp else { return nil }
            return base.nanoseconds(stamp).map { ($0 &- origin, stamp) }
        }
        guard let line = entry(lines), let keyframe = entry(film), line.time < keyframe.time,
            line.time > time &- Self.longestLine
        else { return nil }
        return SubtitleStart(time: line.time, stamp: line.stamp)
    }

    /// The distances before the target, in nanoseconds, at which a keyframe is searched for.
    private static let reaches: [Int64] = [1, 4, 16, 64].map { $0 * 1_000_000_000 }

    /// - Returns: false if this method found no position.
    private func seekByPosition(to target: Int64, in stream: UnsafeMutablePointer<AVStream>) throws(MediaError) -> Bool
    {
        // The keyframes are known between two adjacent recorded keyframes, and in the part already read of a file with
        // timestamp jumps.
        if let known = position.index.last(atOrBefore: target),
            position.index.isDense(at: target) || position.timeline.jumps > 0 && seeking == .byStamp
        {
            return go(to: known)
        }
        guard seeking == .byStamp else {
            let start = position.index.entries.last ?? KeyframeIndex.Entry(time: 0, position: 0, offset: 0, count: 0)
            guard go(to: start) else { return false }
            _ = try look(for: target, in: stream, since: start.time)
            return go(
                to: position.index.last(atOrBefore: target)
                    ?? KeyframeIndex.Entry(time: 0, position: 0, offset: 0, count: 0))
        }
        let base = TimeBase(stream.pointee.time_base)
        for reach in Self.reaches where target &- reach > origin {
            let stamp = base.stamp(nanoseconds: target &- reach &- position.timeline.offset)
            guard av_seek_frame(format, stream.pointee.index, stamp, AVSEEK_FLAG_BACKWARD) >= 0 else { break }
            position.timeline.restart(offset: position.timeline.offset)
            if let found = try look(for: target, in: stream, since: target &- reach) { return go(to: found) }
        }
        guard av_seek_frame(format, -1, 0, AVSEEK_FLAG_BYTE) >= 0 else { return false }
        position.timeline.restart(offset: 0)
        if let found = try look(for: target, in: stream, since: .min) { return go(to: found) }
        // There is no keyframe before the target: start at the beginning.
        return go(to: KeyframeIndex.Entry(time: 0, position: 0, offset: 0, count: 0))
    }

    func go(to entry: KeyframeIndex.Entry) -> Bool {
        guard av_seek_frame(format, -1, entry.position, AVSEEK_FLAG_BYTE) >= 0 else { return false }
        position.timeline.restart(offset: entry.offset)
        position.counted = entry.count
        return true
    }

    /// Reads up to `target`.
    ///
    /// - Returns: The last keyframe found at or before `target`.
    func look(for target: Int64, in stream: UnsafeMutablePointer<AVStream>, since: Int64) throws(MediaError)
        -> KeyframeIndex.Entry?
    {
        guard let packet = Packet() else { throw MediaError(.outOfMemory, "no memory for a packet") }
        let base = TimeBase(stream.pointee.time_base)
        var met = false
        while try read(into: packet) {
            defer { av_packet_unref(packet.pointer) }
            if opener.isCalledOff { throw MediaError(.interrupted, "the seek was cancelled") }
            guard packet.pointer.pointee.stream_index == stream.pointee.index else { continue }
            if let time = base.nanoseconds(packet.pointer.pointee.pts) ?? base.nanoseconds(packet.pointer.pointee.dts) {
                if cffmpeg_is_key_packet(packet.pointer) != 0, time <= target { met = true }
                if let decoded = base.nanoseconds(packet.pointer.pointee.dts), decoded > target { break }
            }
        }
        return met ? position.index.last(atOrBefore: target) : nil
    }
}
