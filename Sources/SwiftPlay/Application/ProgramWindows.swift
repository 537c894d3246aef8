import CompositorProtocol

/// The windows in which the program shows pictures. They determine the role of the program. A pure value.
package struct ProgramWindows: Equatable, Sendable {
    /// A window, a terminal, or another place in which the program shows a picture.
    package struct Window: Equatable, Sendable {
        /// Whether the window is on the screen: not minimised and not on another workspace. Other windows may cover it.
        package var isShown = false
        /// Whether the window has the keyboard focus.
        package var isFocused = false
        /// Whether the window fills the screen.
        package var isFullScreen = false
        /// The router that draws the window's picture; nil if the picture cannot move to a floating window.
        package var router: ObjectIdentifier?
    }

    /// The windows by their identifiers.
    var windows: [ObjectIdentifier: Window] = [:]
    /// The routers whose pictures are in floating windows, by the controllers that moved them there.
    var floatingPictures: [ObjectIdentifier: ObjectIdentifier] = [:]

    /// The state of the windows as the compositor receives it.
    var presence: ProgramPresence {
        guard !windows.isEmpty else { return .noWindow }
        let floatingRouters = Set(floatingPictures.values)
        // A window whose picture is in the floating window shows a placeholder only.
        let windowsWithPicture = windows.values.filter { $0.isShown && $0.router.map(floatingRouters.contains) != true }
        if windowsWithPicture.isEmpty { return .hidden }
        return windowsWithPicture.contains { $0.isFocused || $0.isFullScreen } ? .focused : .shown
    }
}
