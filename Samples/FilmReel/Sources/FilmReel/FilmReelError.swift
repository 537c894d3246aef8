/// A failure of the program, as a message to the user.
struct FilmReelError: Error, CustomStringConvertible {
    /// What failed, and what to do.
    let description: String

    init(_ description: String) { self.description = description }
}
