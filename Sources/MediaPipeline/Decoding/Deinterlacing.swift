/// Which pictures are deinterlaced (option `--deinterlace`).
package enum Deinterlacing: UInt8, Sendable, Equatable {
    /// Pictures that the stream marks as interlaced.
    case automatic
    case always
    case never
}
