/// A criterion that selects an X window.
package enum WindowQuery: Sendable, Hashable {
    /// The window's instance name in `WM_CLASS`, in which the player's main window and Picture-in-Picture window
    /// differ.
    case instance(String)
    /// The complete title of the window.
    case title(String)
    /// The X identifier of the window.
    case identifier(UInt32)

    /// The main window of the player.
    package static let player = WindowQuery.instance("swiftplay")
    /// The Picture-in-Picture window.
    package static let pictureInPicture = WindowQuery.instance("swiftplay-pip")

    func matches(_ window: Window) -> Bool {
        switch self {
        case .instance(let name): window.instanceName == name
        case .title(let title): window.title == title
        case .identifier(let id): window.id == id
        }
    }
}
