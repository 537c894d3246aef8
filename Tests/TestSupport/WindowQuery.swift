/// Which window is meant.
package enum WindowQuery: Sendable, Hashable {
    /// The instance part of `WM_CLASS`: the player's and the PiP window share the class, not this.
    case instance(String)
    /// The whole title.
    case title(String)
    /// Exactly this window.
    case identifier(UInt32)

    /// The player's own window.
    package static let player = WindowQuery.instance("swiftplay")
    /// The Picture-in-Picture window.
    package static let pictureInPicture = WindowQuery.instance("swiftplay-pip")

    func matches(_ window: Window) -> Bool {
        switch self {
        case .instance(let name): window.instance == name
        case .title(let title): window.title == title
        case .identifier(let id): window.id == id
        }
    }
}
