/// Where a player's core shows pictures: what it needs of a layer.
package protocol PlayerPictureTarget: AnyObject, Sendable {
    var router: FrameRouter { get }
    func setReadyForDisplay(_ ready: Bool)
    /// The player's item, or what is known of it, has changed.
    func itemChanged()
    /// Shows nothing until a player presents a frame.
    func lostPicture()
}
