import MediaPipeline
import SharedFrames
import Subtitles
import SystemCalls

/// Provides the subtitle overlays of an item. Created when subtitles of the item are first selected.
///
/// The subtitle thread takes events from the source and creates the renderer, which searches for fonts. Overlays are
/// drawn on the thread that requests them.
final class SubtitlePresenter: OverlaySource {
    /// The appearance and timing of subtitles.
    struct Style: Sendable, Equatable {
        /// The delay added to the subtitles' times, in nanoseconds.
        var delay: Int64 = 0
        /// The scale of text and bitmaps; 1 is the original size.
        var scale = 1.0
        /// Whether subtitles are shown.
        var isVisible = true
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
    private let state: Monitor<State>
    private let thread = Monitor<NamedThread?>(nil)
    /// Called when the overlay may have changed.
    private let onChange: @Sendable () -> Void

    /// Creates the presenter and starts its thread.
    ///
    /// - Parameter onChange: Called on any thread when the overlay may have changed.
    /// - Throws: ``SystemCallError`` if the thread cannot be started.
    init(source: any MediaSource, style: Style, onChange: @escaping @Sendable () -> Void) throws(SystemCallError) {
        self.source = source
        self.onChange = onChange
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
        try source.selectSubtitles(track, generation: generation)
        onChange()
    }

    /// Changes the appearance and timing of the subtitles.
    func set(_ style: Style) {
        let hasChanged = state.withLock { state in
            guard state.style != style else { return false }
            state.style = style
            state.renderer?.scale = style.scale
            return true
        }
        if hasChanged { onChange() }
    }

    /// Returns the subtitles at a media time (nanoseconds) as an overlay; nil without any.
    func overlay(at time: Int64, in place: OverlayGeometry) -> OverlayPicture? {
        state.withLock { state in
            guard state.style.isVisible, let renderer = state.renderer else { return nil }
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

    /// Closes the source's subtitles, waits for the subtitle thread to end, and releases the renderer.
    func close() {
        source.subtitles.close()
        thread.withLock { $0.take() }?.join()
        state.withLock { $0.renderer = nil }
    }

    /// The body of the subtitle thread: takes the subtitle events of the source until its subtitles are closed.
    private func run() {
        while let subtitleItem = source.subtitles.pop() {
            switch subtitleItem {
            case .begin(let format):
                // Create the renderer outside the lock, which the player's thread takes for every frame: creation
                // searches for fonts.
                let newRenderer = SubtitleRenderer(format)
                state.withLock { state in
                    guard state.track == format.track else { return }
                    newRenderer.scale = state.style.scale
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
