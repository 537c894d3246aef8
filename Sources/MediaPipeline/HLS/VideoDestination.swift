/// The view or output in which the video is shown, which limits the resolution of the chosen variant.
package enum VideoDestination: Sendable, Equatable {
    /// The video has no view, or the view's size is not known yet: the size is not limited.
    case unknown
    /// The video is shown in this view, the largest of all views that receive frames.
    case view(VideoViewGeometry)
    /// The video is not shown at all; only the audio is played.
    case audioOnly

    /// The number of pixels that the destination can show; infinity if the size is not limited, -1 for audio only.
    var visiblePixelCount: Double {
        switch self {
        case .unknown: .infinity
        case .view(let view): view.area
        case .audioOnly: -1
        }
    }
}
