import MediaPipeline
import SharedFrames
import Subtitles
import SystemCalls

/// Provides the subtitle overlays of one layer of an item. Created when a track is first selected in the layer.
///
/// The subtitle thread takes events from the source and creates the renderer, which searches for fonts. Overlays are
/// drawn on the thread that requests them.
final class SubtitlePresenter: Sendable {
    /// The appearance and timing of subtitles.
    struct Style: Sendable, Equatable {
        /// The delay added to the subtitles' times, in nanoseconds.
        var delay: Int64 = 0
        /// The scale of text and bitmaps; 1 is the original size.
        var scale = 1.0
        /// The vertical position of text in percent: 100 is the designed position, 0 the upper edge.
        var position = 100.0
        /// The scale of text without a size of its own, such as that of SubRip files.
        var textScale = 1.0
        /// Whether subtitles are shown.
        var isVisible = true
        /// Whether the secondary subtitles are shown; they also require ``isVisible``.
        var showsSecondary = true
    }

    /// The selected track, its renderer and the style, protected by one lock.
    private struct State {
        /// The number of the track whose subtitles are shown; nil for none.
        var track: Int?
        /// Draws the subtitles; nil until the track's format is known.
        var renderer: SubtitleRenderer?
        var style: Style
        /// The number of the newest track selection, which its subtitle events carry.
        var generation: UInt32 = 0
    }

    private let source: any MediaSource
    private let layer: SubtitleLayer
    private let state: Monitor<State>
    private let thread = Monitor<NamedThread?>(nil)
    /// Called when the overlay may have changed.
    private let onChange: @Sendable () -> Void

    /// Creates the presenter and starts its thread.
    ///
    /// - Parameter onChange: Called on any thread when the overlay may have changed.
    /// - Throws: ``SystemCallError`` if the thread cannot be started.
    init(
        source: any MediaSource, layer: SubtitleLayer, style: Style, onChange: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        (self.source, self.layer, self.onChange) = (source, layer, onChange)
        state = Monitor(State(style: style))
        let subtitleThread = try NamedThread("subtitles") { [self] in run() }
        thread.withLock { $0 = subtitleThread }
    }

    /// Selects another subtitle track, or none.
    func select(_ track: Int?) throws(MediaError) {
        let generation = state.withLock { state in
            state.track = track
            state.renderer = nil
            state.generation &+= 1
            return state.generation
        }
        try source.selectSubtitles(track, layer: layer, generation: generation)
        onChange()
    }

    /// Changes the appearance and timing of the subtitles.
    func set(_ style: Style) {
        let hasChanged = state.withLock { state in
            guard state.style != style else { return false }
            state.style = style
            state.renderer?.apply(style)
            return true
        }
        if hasChanged { onChange() }
    }

    /// Returns the subtitles at a media time (nanoseconds) as an overlay; nil without any.
    func overlay(at time: Int64, in place: OverlayGeometry) -> OverlayPicture? {
        state.withLock { state in
            guard state.style.isVisible, layer == .primary || state.style.showsSecondary, let renderer = state.renderer
            else { return nil }
            return renderer.overlay(at: time &- state.style.delay, in: place)
        }
    }

    /// Returns the subtitle text at a media time (nanoseconds); nil without a track.
    func text(at time: Int64) -> String? {
        state.withLock { state in
            guard state.track != nil else { return nil }
            return state.renderer?.text(at: time &- state.style.delay) ?? ""
        }
    }

    /// Returns the subtitle text at a media time (nanoseconds), with the formatting tags of ASS; nil without a track.
    func taggedText(at time: Int64) -> String? {
        state.withLock { state in
            guard state.track != nil else { return nil }
            return state.renderer?.taggedText(at: time &- state.style.delay) ?? ""
        }
    }

    /// Returns the times, in nanoseconds of media time, between which the subtitles at a media time are visible; nil if
    /// none are visible. The end is nil if it is not known yet.
    func visibleTimes(at time: Int64) -> (start: Int64, end: Int64?)? {
        state.withLock { state in
            guard let times = state.renderer?.visibleTimes(at: time &- state.style.delay) else { return nil }
            return (times.start &+ state.style.delay, times.end.map { $0 &+ state.style.delay })
        }
    }

    /// Returns the media time (nanoseconds) at which the subtitle `count` subtitles after the one at `time` starts, or
    /// before it if `count` is negative; nil if there is no such subtitle.
    func startTime(of count: Int, from time: Int64) -> Int64? {
        state.withLock { state in
            state.renderer?.startTime(of: count, from: time &- state.style.delay).map { $0 &+ state.style.delay }
        }
    }

    /// Closes the layer's queue, waits for the subtitle thread to end, and releases the renderer.
    func close() {
        source.subtitles(layer).close()
        thread.withLock { $0.take() }?.join()
        state.withLock { $0.renderer = nil }
    }

    /// The body of the subtitle thread: takes the subtitle events of the source until its subtitles are closed.
    private func run() {
        while let subtitleItem = source.subtitles(layer).pop() {
            switch subtitleItem {
            case .begin(let format):
                // Create the renderer outside the lock, which the player's thread takes for every frame: creation
                // searches for fonts.
                let newRenderer = SubtitleRenderer(format, isAtTop: layer == .secondary)
                state.withLock { state in
                    guard state.track == format.track else { return }
                    newRenderer.apply(state.style)
                    state.renderer = newRenderer
                }
            case .events(let events):
                state.withLock { $0.renderer?.add(events) }
                onChange()
            case .gap(let end):
                state.withLock { $0.renderer?.endOpenEvents(at: end) }
                onChange()
            }
        }
    }
}

extension SubtitleRenderer {
    /// Sets the size and the position of the subtitles.
    fileprivate func apply(_ style: SubtitlePresenter.Style) {
        (scale, position, textScale) = (style.scale, style.position, style.textScale)
    }
}
