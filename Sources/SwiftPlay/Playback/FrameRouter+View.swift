import MediaPipeline
import SharedFrames
import VideoOutput

extension FrameRouter {
    /// The larger of the layer and the floating window, of which only those that receive frames now count. A stream
    /// needs no variant with a larger picture.
    var videoDestination: VideoDestination {
        let (layer, floatingWindow) = fedViews
        let views = [layer?.view, floatingWindow].compactMap(\.self)
        return VideoViewGeometry.largest(of: views).map { .view($0) } ?? .unknown
    }

    /// The size of the floating window if it alone receives frames; nil otherwise.
    var floatingWindowSize: PixelSize? {
        state.withLock { state in
            let route = state.plan.route
            return route.destination == .remote && !route.isStalled ? state.floatingWindow.size : nil
        }
    }

    /// The smoothing that the visible picture needs in the layer and the floating window, as far as they receive frames
    /// now.
    var neededLoopFiltering: LoopFiltering {
        guard let size = currentFrame?.format.orientedSize else { return .all }
        let (layer, floatingWindow) = fedViews
        let neededFilterings = [
            layer.map {
                LoopFiltering.needed(for: size, in: $0.view, isDrawnWithCharacters: $0.isDrawnWithCharacters)
            },
            floatingWindow.map { LoopFiltering.needed(for: size, in: $0) },
        ]
        return neededFilterings.compactMap(\.self).max() ?? .all
    }

    /// The layer and the floating window, each nil if it receives no frames now or its size is unknown.
    private var fedViews:
        (layer: (view: VideoViewGeometry, isDrawnWithCharacters: Bool)?, floatingWindow: VideoViewGeometry?)
    {
        let (route, output, floatingWindowSize, gravity) = state.withLock {
            ($0.plan.route, $0.layer.output, $0.floatingWindow.size, $0.layer.gravity)
        }
        let layer = (route.destination != .remote ? output : nil).map { output in
            let view = VideoViewGeometry(size: output.size, gravity: VideoViewGeometry.Gravity(gravity))
            return (view: view, isDrawnWithCharacters: output.drawsCharacters)
        }
        let floatingWindow = (route.destination != .layer ? floatingWindowSize : nil).map {
            VideoViewGeometry(size: $0)
        }
        return (layer, floatingWindow)
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
