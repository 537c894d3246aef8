import CFFmpeg

/// Searches for keyframes that a seek may show instead of the sought frame.
extension Demuxer {
    /// Moves from the keyframe at `time`, whose packet was read last, to the next keyframe, if it is at or before
    /// `limit`. Both times are nanoseconds on the item's timeline.
    func advanceToKeyframe(after time: Int64, upTo limit: Int64) throws(MediaError) -> KeyframeMoveResult {
        guard let stream = movingVideo else { return .notFound }
        opener.isSeeking = true
        defer { opener.isSeeking = false }
        let start = time &+ origin, end = limit.boundedTime &+ origin
        guard seekMethod == .native else {
            // Without an index, record the keyframes while reading.
            if let keyframe = position.index.first(after: start), position.index.isDense(at: start &+ 1),
                keyframe.time <= end
            {
                return seek(to: keyframe) ? .moved : .positionLost
            }
            _ = try searchKeyframe(for: min(end, start &+ Self.maximumSearchDuration), in: stream)
            guard let keyframe = position.index.first(after: start), keyframe.time <= end else { return .positionLost }
            return seek(to: keyframe) ? .moved : .positionLost
        }
        let streamTimeBase = TimeBase(stream.pointee.time_base)
        var entryIndex = av_index_search_timestamp(
            stream, streamTimeBase.timestamp(nanoseconds: start &- position.timeline.offset), AVSEEK_FLAG_BACKWARD)
        guard entryIndex >= 0 else { return .notFound }
        // MP4 indexes by decoding time, which is earlier than the presentation time. Only reading the keyframe shows
        // whether its presentation time is at or before `limit`.
        guard let keyframeTime = nextKeyframe(in: stream, streamTimeBase, after: start, &entryIndex),
            keyframeTime <= end
        else {
            return .notFound
        }
        // libavformat's MP4 demuxer seeks to the keyframe whose presentation time, not decoding time, is at or before
        // the target.
        let followingTime = nextKeyframe(in: stream, streamTimeBase, after: keyframeTime, &entryIndex) ?? .max
        let targetTime = keyframeTime &+ min(Self.reorderDelay, (followingTime &- keyframeTime) / 2)
        guard
            av_seek_frame(
                format, stream.pointee.index,
                streamTimeBase.timestamp(nanoseconds: targetTime &- position.timeline.offset),
                AVSEEK_FLAG_BACKWARD) >= 0
        else {
            return .positionLost
        }
        position.timeline.restart(offset: position.timeline.offset)
        position.retriableSeek = (targetTime, 0)
        return .moved
    }

    /// The maximum duration of the media, in nanoseconds, that is read to find the next keyframe in a stream without an
    /// index.
    private static let maximumSearchDuration: Int64 = 10_000_000_000

    /// The longest time from decoding a keyframe to presenting it, in nanoseconds.
    private static let reorderDelay: Int64 = 1_000_000_000

    /// Returns the time of the first keyframe after `time` in libavformat's index; nil if there is none.
    ///
    /// - Parameter entryIndex: The index of an entry at or before `time`. On return, the index after the found entry.
    private func nextKeyframe(
        in stream: UnsafeMutablePointer<AVStream>, _ base: TimeBase, after time: Int64, _ entryIndex: inout Int32
    ) -> Int64? {
        while let entry = avformat_index_get_entry(stream, entryIndex)?.pointee {
            entryIndex += 1
            guard entry.flags & AVINDEX_KEYFRAME != 0,
                let keyframeTime = base.nanoseconds(entry.timestamp).map({ $0 &+ position.timeline.offset }),
                keyframeTime > time
            else { continue }
            return keyframeTime
        }
        return nil
    }
}
