/// Which pictures are deinterlaced: `--deinterlace`.
package enum Deinterlacing: UInt8, Sendable, Equatable {
    /// Those that the stream flags as interlaced.
    case automatic
    case always
    case never
}
