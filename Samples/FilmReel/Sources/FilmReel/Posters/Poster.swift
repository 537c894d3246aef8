/// A decoded poster in memory: rows of BGRX pixels without padding. The loader keeps the posters of the working set.
protocol Poster: AnyObject, Sendable {
    /// Calls a closure with rows of the poster.
    ///
    /// - Parameters:
    ///   - rows: The rows that `body` reads.
    ///   - body: Receives all bytes of the poster, and reads only the bytes of `rows`.
    /// - Returns: False, without a call of `body`, if reading these rows would wait for the disk.
    func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool
}
