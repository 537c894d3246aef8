import CFFmpeg

/// The method of seeking in a container.
enum SeekMethod: Sendable {
    /// The demuxer seeks to keyframes by time.
    case native
    /// The demuxer seeks by timestamp, but not to keyframes (MPEG-TS, MPEG-PS): keyframes are found by reading.
    case byTimestamp
    /// The container has no timestamps (raw streams): packets are counted.
    case byCount

    /// Chooses the seek method by the name of the container's format; streams that are not seekable use ``native``.
    init(of format: UnsafeMutablePointer<AVFormatContext>) {
        self = .native
        guard let kind = format.pointee.iformat?.pointee, format.pointee.pb?.pointee.seekable ?? 0 != 0 else { return }
        let name = kind.name.map { String(cString: $0) } ?? ""
        if ["mpegts", "mpeg"].contains(name) { self = .byTimestamp }
        if ["h264", "hevc", "vvc", "mpegvideo", "m4v", "h261", "h263", "cavsvideo", "vc1", "dirac"].contains(name) {
            self = .byCount
        }
    }

    /// Returns the smallest forward step of timestamps, in nanoseconds, that counts as a jump; nil if timestamps do not
    /// jump.
    static func jumpTolerance(in format: UnsafeMutablePointer<AVFormatContext>) -> Int64? {
        guard let kind = format.pointee.iformat?.pointee, kind.flags & AVFMT_TS_DISCONT != 0 else { return nil }
        // A playlist may omit whole segments, which must not count as a jump of the clock.
        let isPlaylist = kind.name.map { String(cString: $0) } == "hls"
        return isPlaylist ? playlistJump : broadcastJump
    }

    /// The smallest jumps of timestamps that are recognised in broadcasts and in playlists, in nanoseconds.
    static let broadcastJump: Int64 = 10_000_000_000, playlistJump: Int64 = 60_000_000_000
}
