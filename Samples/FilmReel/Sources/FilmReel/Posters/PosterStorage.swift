/// A place where decoded posters are kept: the part in which the steps of the sample differ. Any thread; calls may wait
/// for the disk.
protocol PosterStorage: Sendable {
    /// Starts to read the poster of a film that is needed soon, without waiting.
    func prefetch(_ film: Film)
    /// Returns the poster of a film; nil if it must be made.
    func poster(of film: Film) -> (any Poster)?
    /// Keeps the poster of a film.
    ///
    /// - Parameters:
    ///   - pixels: The rows of BGRX pixels.
    ///   - film: The film.
    /// - Throws: The reason why the poster cannot be kept.
    func keep(_ pixels: [UInt8], for film: Film) throws -> any Poster
}

extension PosterStorage {
    func prefetch(_ film: Film) {}
}
