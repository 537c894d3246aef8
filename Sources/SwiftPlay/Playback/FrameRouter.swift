import SharedFrames
import Synchronization
import SystemCalls
import VideoOutput

/// Decides where frames are shown: at the player's layer, or in a window of the compositor. The one thing that Picture-in-Picture changes.
///
/// Frames come from the player's thread in two steps (see ``VideoOutput``). A switch happens between two frames: the new place has
/// shown a frame before the old one stops being fed. Any thread.
package final class FrameRouter: Sendable {
    package enum Destination: Equatable, Sendable {
        case layer
        /// The new place is not sure yet: both are fed.
        case both
        case remote
    }

    private struct State {
        var output: (any VideoOutput)?
        var remote: RemotePicture?
        var destination = Destination.layer
        /// Both are fed since the picture comes back to the layer.
        var isReturning = false
        /// The frame that is (to be) seen now.
        var current: VideoFrame?
        var prepared: VideoFrame?
        var placeholder: String? = "Playing in Picture-in-Picture"
        var presented: (@Sendable (VideoFrame) -> Void)?
        /// What lies over the frames, and what of it is on screen.
        var overlays: (any OverlaySource)?
        var overlay: OverlayPicture?
        /// Of the floating window; nil until it is known.
        var remoteSize: PixelSize?
        var gravity = VideoGravity.resizeAspect
        var keepsScreenOn = false

        /// The desktop's own lock screen is to be held back: the picture is in a window, be it the floating one alone.
        var keepsDesktopAwake: Bool {
            keepsScreenOn && (output is X11Output || output == nil && destination == .remote)
        }

        /// Says what lies over a frame that goes to the floating window.
        func showRemoteOverlay(over frame: VideoFrame) {
            guard let remote, destination != .layer else { return }
            guard let overlays, let remoteSize else { return remote.show(nil) }
            let place = OverlayPlace(size: remoteSize, format: frame.format, gravity: .resizeAspect)
            remote.show(overlays.overlay(at: frame.presentationTime, in: place))
        }

        /// Gets a frame ready for the layer, with what lies over it.
        mutating func prepare(_ frame: VideoFrame, at output: any VideoOutput) {
            if let overlays, let place = output.overlayPlace(for: frame.format) {
                overlay = overlays.overlay(at: frame.presentationTime, in: place)
                output.setOverlay(overlay)
            } else if overlay != nil {
                overlay = nil
                output.setOverlay(nil)
            }
            output.prepare(frame)
        }
    }

    private let state = Monitor(State())
    private let inhibitor = DisplaySleepInhibitor()
    /// Read without the lock, which is held for as long as a display server takes to draw.
    private let repeatCount = Atomic<Int>(0)

    package init() {}

    deinit {
        state.withLock { $0.output }?.keepScreenOn(false)
        inhibitor.end()
    }

    package var destination: Destination { state.withLock { $0.destination } }
    package var current: VideoFrame? { state.withLock { $0.current } }
    /// Frames drawn again since there was nothing newer.
    package var repeats: Int { repeatCount.load(ordering: .relaxed) }

    /// Where the layer's frames are drawn; nil: nowhere.
    package func setOutput(_ output: (any VideoOutput)?) {
        let keepsAwake = state.withLock { state in
            if state.output !== output { state.output?.keepScreenOn(false) }
            state.output = output
            guard let output else { return state.keepsDesktopAwake }
            output.gravity = state.gravity
            output.keepScreenOn(state.keepsScreenOn)
            if state.destination == .remote {
                output.showPlaceholder(state.placeholder)
            } else if let current = state.current {
                state.prepare(current, at: output)
                output.present()
                if let prepared = state.prepared { state.prepare(prepared, at: output) }
            }
            return state.keepsDesktopAwake
        }
        // A program that closes its window may exit next: the request is taken back before.
        if output == nil, !keepsAwake { inhibitor.end() } else { inhibitor.setWanted(keepsAwake) }
    }

    package var output: (any VideoOutput)? { state.withLock { $0.output } }

    /// What becomes of a picture of another shape than the layer; holds for outputs to come.
    package var gravity: VideoGravity {
        get { state.withLock { $0.gravity } }
        set {
            state.withLock { state in
                state.gravity = newValue
                state.output?.gravity = newValue
            }
            redraw()
        }
    }

    /// The screensaver is held back where the layer is, now and for outputs to come; so it is too while the frames are in the floating window.
    var keepsScreenOn: Bool {
        get { state.withLock { $0.keepsScreenOn } }
        set {
            state.withLock { state in
                state.keepsScreenOn = newValue
                state.output?.keepScreenOn(newValue)
                inhibitor.setWanted(state.keepsDesktopAwake)
            }
        }
    }

    /// Gets the next frame ready. At the layer that is the costly half of showing it.
    func prepare(_ frame: VideoFrame) {
        state.withLock { state in
            state.prepared = frame
            if state.destination != .remote, let output = state.output { state.prepare(frame, at: output) }
        }
    }

    /// Shows what was prepared.
    ///
    /// - Parameter due: host time at which it is to be seen.
    /// - Returns: host time at which it was given away; nil when nothing was prepared.
    func present(due: Int64) -> Int64? {
        state.withLock { state in
            guard let frame = state.prepared.take() else { return nil }
            state.current = frame
            var shown: Int64?
            // Where one place is about to cover the other, it is the one that has the frame first: no older one is seen over a newer one.
            if state.destination != .remote, state.isReturning { shown = state.output?.present() }
            state.showRemoteOverlay(over: frame)
            if state.destination != .layer, let remote = state.remote, remote.push(frame, due: due) { shown = MonotonicTime.now }
            if state.destination != .remote, !state.isReturning { shown = state.output?.present() ?? shown }
            return shown ?? MonotonicTime.now
        }
    }

    /// What the layer's display says of the frames given to it since this was asked last.
    func takeFeedback() -> [PresentFeedback] {
        state.withLock { $0.destination == .remote ? [] : $0.output?.takeFeedback() ?? [] }
    }

    /// Who knows what lies over the frames; nil: nobody.
    package func setOverlays(_ source: (any OverlaySource)?) {
        state.withLock { $0.overlays = source }
        overlayMayHaveChanged()
    }

    /// Draws the frame on screen again if something else lies over it now.
    package func overlayMayHaveChanged() {
        let isStale = state.withLock { state in
            if let current = state.current { state.showRemoteOverlay(over: current) }
            guard let current = state.current, state.destination != .remote, let place = state.output?.overlayPlace(for: current.format) else {
                return false
            }
            return state.overlays?.overlay(at: current.presentationTime, in: place) !== state.overlay
        }
        if isStale { redraw() }
    }

    /// Forgets the frames of an item that is over.
    func clear() {
        state.withLock { state in
            state.prepared = nil
            state.current = nil
        }
    }

    /// Forgets the frames, and takes what is seen at the layer away.
    func removeImage() {
        state.withLock { state in
            (state.prepared, state.current) = (nil, nil)
            if state.destination != .remote { state.output?.showPlaceholder(nil) }
        }
    }

    /// Draws the frame again: the output lost it, or has another size.
    package func redraw() {
        state.withLock { state in
            guard let output = state.output else { return }
            if state.destination == .remote { return output.showPlaceholder(state.placeholder) }
            guard let current = state.current else { return }
            state.prepare(current, at: output)
            output.present()
            repeatCount.add(1, ordering: .relaxed)
            if let prepared = state.prepared { state.prepare(prepared, at: output) }
        }
    }

    // MARK: handover

    /// Begins to feed `remote` too, with the frame on screen first, and what lies over it.
    ///
    /// - Parameter size: in which the picture is seen until the floating window has said its own; nil: nothing lies over it until then.
    /// - Returns: false when there is no frame to begin with, or the compositor does not take it.
    package func beginHandover(to remote: RemotePicture, from size: PixelSize? = nil) -> Bool {
        state.withLock { state in
            guard let current = state.current, remote.push(current, due: MonotonicTime.now) else { return false }
            state.remote = remote
            state.remoteSize = size
            remote.forgetOverlay()
            (state.destination, state.isReturning) = (.both, false)
            state.showRemoteOverlay(over: current)
            return true
        }
    }

    /// The part of the layer's place that its picture covers; nil while there is none.
    package var pictureInLayer: PixelRect? {
        let (output, format) = state.withLock { ($0.output, $0.current?.format) }
        return format.flatMap { output?.overlayPlace(for: $0)?.picture }
    }

    /// Where on the screen the layer's picture is seen; nil where it is not.
    package var pictureOnScreen: PixelRect? {
        let (output, format) = state.withLock { ($0.output, $0.current?.format) }
        return format.flatMap { output?.pictureOnScreen($0) }
    }

    /// Shows the current frame at the layer and feeds both places, while the floating window flies back; returns when it is on screen there.
    ///
    /// - Returns: where on the screen the picture is seen; nil when nothing was changed: it is not on screen, or frames do not go to `remote`.
    package func beginReturn(from remote: RemotePicture) -> PixelRect? {
        let output: (any VideoOutput)? = state.withLock { state in
            guard state.remote === remote, state.destination == .remote, state.current != nil else { return nil }
            return state.output
        }
        guard let output, let place = pictureOnScreen else { return nil }
        let isBegun = state.withLock { state in
            guard state.remote === remote, state.destination == .remote, state.output === output, let current = state.current else { return false }
            (state.destination, state.isReturning) = (.both, true)
            // It lands in this size.
            state.remoteSize = place.size
            state.showRemoteOverlay(over: current)
            state.prepare(current, at: output)
            output.present()
            if let prepared = state.prepared { state.prepare(prepared, at: output) }
            return true
        }
        guard isBegun else { return nil }
        (output as? X11Output)?.finish()
        return place
    }

    /// The size of the floating window.
    package func setRemoteSize(_ size: PixelSize) {
        state.withLock { state in
            state.remoteSize = size
            if let current = state.current { state.showRemoteOverlay(over: current) }
        }
    }

    /// The new place has shown a frame: the layer is not fed any longer.
    package func completeHandover() {
        state.withLock { state in
            guard state.destination == .both else { return }
            state.destination = .remote
            state.output?.showPlaceholder(state.placeholder)
        }
    }

    /// Feeds `remote` in another router's stead, which shows its own frame at its layer again.
    ///
    /// - Returns: false when there is no frame to go on with, or the compositor does not take it.
    package func takeOver(_ remote: RemotePicture, from old: FrameRouter) -> Bool {
        let (wasComplete, size) = old.state.withLock { ($0.destination == .remote, $0.remoteSize) }
        old.returnToLayer(from: remote)
        // What lay over the old frames does not lie over these.
        remote.show(nil)
        guard beginHandover(to: remote) else { return false }
        if let size { setRemoteSize(size) }
        if wasComplete { completeHandover() }
        return true
    }

    /// Shows the current frame at the layer and feeds it again; returns when it is on screen there.
    ///
    /// - Parameter remote: does nothing unless frames go there now.
    package func returnToLayer(from remote: RemotePicture) {
        let output: (any VideoOutput)? = state.withLock { state in
            guard state.remote === remote else { return nil }
            let needsFrame = state.destination == .remote
            state.destination = .layer
            state.remote = nil
            inhibitor.setWanted(state.keepsDesktopAwake)
            guard let output = state.output, needsFrame else { return nil }
            if let current = state.current {
                state.prepare(current, at: output)
                output.present()
                if let prepared = state.prepared { state.prepare(prepared, at: output) }
            } else {
                output.showPlaceholder(nil)
            }
            return output
        }
        (output as? X11Output)?.finish()
    }

    /// The picture has flown away from over the layer's placeholder.
    package func settlePlaceholder() {
        state.withLock { state in if state.destination == .remote { (state.output as? X11Output)?.settlePlaceholder() } }
    }

    package func setPlaceholder(_ text: String?) { state.withLock { $0.placeholder = text } }
}
