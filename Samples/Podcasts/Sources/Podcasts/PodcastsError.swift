/// A failure with a message for the user.
struct PodcastsError: Error, Equatable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
