/// A storage of decoded posters. The steps of this sample differ only in the type of the storage. Thread-safe; methods
/// may wait for the disk.
protocol PosterStorage: Sendable {
    /// Starts reading the poster of a film that is needed soon, and does not wait.
    func prefetch(_ film: Film)
    /// Returns the poster of a film; nil if it must be made.
    func poster(of film: Film) -> (any Poster)?
    /// Stores the poster of a film, and returns the stored poster.
    ///
    /// - Parameters:
    ///   - pixels: The rows of BGRX pixels.
    ///   - film: The film.
    /// - Throws: An error if the poster cannot be stored.
    func keep(_ pixels: [UInt8], for film: Film) throws -> any Poster
    /// Writes what the next run of the program needs to the disk.
    func synchronize()
}

extension PosterStorage {
    func prefetch(_ film: Film) {}
    func synchronize() {}
}
