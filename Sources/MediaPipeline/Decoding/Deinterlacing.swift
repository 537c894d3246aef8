/// The rule that selects the pictures to deinterlace (option `--deinterlace`).
package enum Deinterlacing: UInt8, Sendable, Equatable {
    /// Pictures that the stream marks as interlaced.
    case automatic
    /// All pictures, whether or not the stream marks them as interlaced.
    case always
    /// No pictures are deinterlaced.
    case never
}
