/// The part of a layer that a player's core needs: a destination for its video.
package protocol PlayerPictureTarget: AnyObject, Sendable {
    /// The router that draws the layer's frames.
    var router: FrameRouter { get }
    /// Whether the layer's window is visible.
    var isOnScreen: Bool { get }
    /// Sets whether the layer shows a frame. May be called on any thread.
    func setReadyForDisplay(_ ready: Bool)
    /// Handles a change of the player's item or of its properties.
    func handleItemChange()
    /// Marks the layer as not ready for display until a player presents a frame.
    func didLoseFrame()
}
