import SharedFrames

extension Player {
    /// The rotation and the aspect ratio of all pictures, in addition to or instead of what files state. A change also
    /// applies to the picture on screen. The pictures of ``PlayerItemVideoOutput`` keep what the file states.
    package var pictureTransform: PictureTransform {
        get { core.snapshot.withLock { $0.settings.pictureTransform } }
        set { change(.pictureTransformChanged) { $0.settings.pictureTransform = newValue } }
    }
}
