import CFFmpeg

/// How a container finds a time.
enum SeekMethod: Sendable {
    /// By itself.
    case native
    /// It finds bytes by stamps, but not keyframes (MPEG-TS, MPEG-PS): those are searched by reading.
    case byStamp
    /// It has no stamps at all (raw streams): packets are counted.
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

    /// How far ahead a stamp may be before it counts as a jump, nanoseconds; nil: stamps do not jump.
    static func jumpTolerance(in format: UnsafeMutablePointer<AVFormatContext>) -> Int64? {
        guard let kind = format.pointee.iformat?.pointee, kind.flags & AVFMT_TS_DISCONT != 0 else { return nil }
        // A playlist may leave out whole segments.
        let isPlaylist = kind.name.map { String(cString: $0) } == "hls"
        return isPlaylist ? 60_000_000_000 : 10_000_000_000
    }
}
