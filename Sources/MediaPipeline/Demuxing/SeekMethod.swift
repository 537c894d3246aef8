import CFFmpeg

/// The method that seeks in a container.
enum SeekMethod: Sendable {
    /// The demuxer seeks by time.
    case native
    /// The demuxer seeks by timestamp, but not to keyframes (MPEG-TS, MPEG-PS): keyframes are found by reading.
    case byStamp
    /// The container has no timestamps (raw streams): packets are counted.
    case byCount

    init(of format: UnsafeMutablePointer<AVFormatContext>) {
        self = .native
        guard let kind = format.pointee.iformat?.pointee, format.pointee.pb?.pointee.seekable ?? 0 != 0 else { return }
        let name = kind.name.map { String(cString: $0) } ?? ""
        if ["mpegts", "mpeg"].contains(name) { self = .byStamp }
        if ["h264", "hevc", "vvc", "mpegvideo", "m4v", "h261", "h263", "cavsvideo", "vc1", "dirac"].contains(name) {
            self = .byCount
        }
    }

    /// Returns the smallest forward step of timestamps, in nanoseconds, that counts as a jump; nil if timestamps do not
    /// jump.
    static func jumpTolerance(in format: UnsafeMutablePointer<AVFormatContext>) -> Int64? {
        guard let kind = format.pointee.iformat?.pointee, kind.flags & AVFMT_TS_DISCONT != 0 else { return nil }
        // A playlist may omit whole segments.
        let isPlaylist = kind.name.map { String(cString: $0) } == "hls"
        return isPlaylist ? 60_000_000_000 : 10_000_000_000
    }
}
