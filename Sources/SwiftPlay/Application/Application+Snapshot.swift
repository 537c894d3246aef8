/// The picture of the program that `swiftplay overview` shows.
///
/// The compositor requests a picture when the program has entered the background, and after completed work in the
/// background, at most one in ten seconds. It consists of the current picture of a layer and its title, and is drawn
/// without a window.
extension Application {
    /// The identifier under which the picture is kept, such as `org.example.podcasts`; nil, the default, for the file
    /// name of the program. Set it before the first player is created.
    public var snapshotIdentifier: String? {
        get { link.snapshotIdentifier }
        set { if let newValue { link.setSnapshotIdentifier(newValue) } }
    }

    /// The layer whose picture is taken. It is not retained. By default, it is the layer that received a player last.
    public var snapshotLayer: PlayerLayer? {
        get { snapshots.layer as? PlayerLayer }
        set { snapshots.layer = newValue }
    }

    /// Whether the overview shows a placeholder in place of a picture. False by default.
    ///
    /// The compositor deletes the present picture when the value becomes true.
    public var isSnapshotPrivate: Bool {
        get { link.isSnapshotPrivate }
        set { link.setSnapshotPrivate(newValue) }
    }

    /// Reports that the program has completed work in the background, such as a fetch, after it has updated its layer.
    /// A new picture is taken.
    public func setNeedsSnapshot() { snapshots.handleCompletedWork() }

    /// Prevents that the present picture is shown after the next start of the program
    /// (UIApplication.ignoreSnapshotOnNextApplicationLaunch()).
    public func ignoreSnapshotOnNextApplicationLaunch() { link.sendSnapshotMessage(.ignoreOnNextLaunch) }

    /// Deletes the present picture, for example because its content is outdated.
    public func removeSnapshot() { link.sendSnapshotMessage(.remove) }
}
