import MediaPipeline
import SharedFrames
import VideoOutput

extension FrameRouter {
    /// The larger of the layer and the floating window, of which only those that receive frames now count. A stream
    /// needs no variant with a larger picture.
    var videoDestination: VideoDestination {
        let (destination, output, floatingWindowSize, gravity) = state.withLock {
            ($0.plan.route.destination, $0.layer.output, $0.floatingWindow.size, $0.layer.gravity)
        }
        var views: [VideoViewGeometry] = []
        if destination != .remote, let size = output?.size {
            views.append(VideoViewGeometry(size: size, gravity: VideoViewGeometry.Gravity(gravity)))
        }
        if destination != .layer, let floatingWindowSize { views.append(VideoViewGeometry(size: floatingWindowSize)) }
        return VideoViewGeometry.largest(of: views).map { .view($0) } ?? .unknown
    }
}

extension VideoViewGeometry.Gravity {
    /// Converts the gravity of a video output into the type of the module MediaPipeline.
    fileprivate init(_ gravity: VideoGravity) {
        self =
            switch gravity {
            case .resizeAspect: .aspectFit
            case .resizeAspectFill: .aspectFill
            case .resize: .stretch
            }
    }
}
