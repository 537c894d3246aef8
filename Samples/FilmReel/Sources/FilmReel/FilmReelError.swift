/// A failure of the program, as a message to the user.
struct FilmReelError: Error, CustomStringConvertible {
    /// The reason of the failure, and a remedy if there is one.
    let description: String

    init(_ description: String) { self.description = description }
}
