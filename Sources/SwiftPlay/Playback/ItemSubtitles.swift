import MediaPipeline
import SharedFrames
import SystemCalls

/// The subtitles of an item: a presenter for each layer in which a track was selected. Their overlays are shown
/// together.
final class ItemSubtitles: OverlaySource {
    /// Two overlays of the layers, and the overlay that contains both.
    private struct Combination {
        let primary, secondary, combined: OverlayPicture
    }

    private struct State {
        var presenters: [SubtitleLayer: SubtitlePresenter] = [:]
        /// The appearance and timing of the subtitles.
        var style: SubtitlePresenter.Style
        /// The combinations that were made most recently, for at most two windows.
        var combinations: [Combination] = []
    }

    private let source: any MediaSource
    private let state: Monitor<State>
    /// Called when the overlay may have changed.
    private let onChange: @Sendable () -> Void

    /// Creates an object without presenters.
    ///
    /// - Parameter onChange: Called on any thread when the overlay may have changed.
    init(source: any MediaSource, style: SubtitlePresenter.Style, onChange: @escaping @Sendable () -> Void) {
        (self.source, self.onChange) = (source, onChange)
        state = Monitor(State(style: style))
    }

    /// The presenter of a layer; nil until a track is selected in the layer.
    func presenter(_ layer: SubtitleLayer) -> SubtitlePresenter? { state.withLock { $0.presenters[layer] } }

    /// Selects another track in a layer, or none. Called on the player's thread.
    ///
    /// - Throws: ``SystemCallError`` or ``MediaError`` if a thread cannot be started.
    func select(_ track: Int?, layer: SubtitleLayer) throws {
        if let presenter = presenter(layer) { return try presenter.select(track) }
        guard track != nil else { return }
        let presenter = try SubtitlePresenter(
            source: source, layer: layer, style: state.withLock { $0.style }, onChange: onChange)
        state.withLock { $0.presenters[layer] = presenter }
        try presenter.select(track)
    }

    /// Changes the appearance and timing of the subtitles.
    func set(_ style: SubtitlePresenter.Style) {
        let presenters = state.withLock { state in
            state.style = style
            return state.presenters
        }
        for presenter in presenters.values { presenter.set(style) }
    }

    /// Returns the subtitles of all layers at a media time (nanoseconds) as an overlay; nil without any.
    func overlay(at time: Int64, in geometry: OverlayGeometry) -> OverlayPicture? {
        let presenters = state.withLock { $0.presenters }
        let primary = presenters[.primary]?.overlay(at: time, in: geometry)
        guard let secondary = presenters[.secondary]?.overlay(at: time, in: geometry) else { return primary }
        guard let primary else { return secondary }
        return state.withLock { state in
            let knownCombination = state.combinations.first { $0.primary === primary && $0.secondary === secondary }
            if let knownCombination { return knownCombination.combined }
            let combinedOverlay = OverlayPicture(
                size: primary.size, boxes: primary.boxes + secondary.boxes,
                text: [secondary.text, primary.text].filter { !$0.isEmpty }.joined(separator: "\n"))
            state.combinations =
                state.combinations.suffix(1) + [
                    Combination(primary: primary, secondary: secondary, combined: combinedOverlay)
                ]
            return combinedOverlay
        }
    }

    /// Ends the presenters: see ``SubtitlePresenter/close()``.
    func close() {
        let presenters = state.withLock { state in
            defer { (state.presenters, state.combinations) = ([:], []) }
            return state.presenters
        }
        for presenter in presenters.values { presenter.close() }
    }
}
