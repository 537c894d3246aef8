import MediaPipeline
import SharedFrames
import Subtitles
import SystemCalls

/// Knows what of an item's chosen subtitles is to be seen when. Made when an item's subtitles are first wanted.
///
/// The thread "subtitles" takes events from the source and makes the renderer, which looks for fonts; drawing is done
/// by whoever asks for an overlay.
final class SubtitlePresenter: OverlaySource {
    /// How they are shown.
    struct Style: Sendable, Equatable {
        /// Nanoseconds later than they say.
        var delay: Int64 = 0
        /// Of letters and pictures; 1 is as designed.
        var scale = 1.0
        var isVisible = true
    }

    private struct State {
        /// The track whose events are wanted; nil: none.
        var track: Int?
        var renderer: SubtitleRenderer?
        var style: Style
        var generation: UInt32 = 0
    }

    private let source: any MediaSource
    private let state: Monitor<State>
    private let thread = Monitor<NamedThread?>(nil)
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called when other things may be to be seen now; on any thread.
    init(source: any MediaSource, style: Style, changed: @escaping @Sendable () -> Void) throws(SystemCallError) {
        self.source = source
        self.changed = changed
        state = Monitor(State(style: style))
        let started = try NamedThread("subtitles") { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Shows another track, or none.
    func select(_ track: Int?) throws(MediaError) {
        let generation = state.withLock { state in
            state.track = track
            state.renderer = nil
            state.generation &+= 1
            return state.generation
        }
        try source.selectSubtitles(track, generation: generation)
        changed()
    }

    func set(_ style: Style) {
        let isNew = state.withLock { state in
            guard state.style != style else { return false }
            state.style = style
            state.renderer?.scale = style.scale
            return true
        }
        if isNew { changed() }
    }

    func overlay(at time: Int64, in place: OverlayPlace) -> OverlayPicture? {
        state.withLock { state in
            guard state.style.isVisible, let renderer = state.renderer else { return nil }
            return renderer.overlay(at: time &- state.style.delay, in: place)
        }
    }

    /// The words to be read at a moment; nil where no track is chosen.
    func text(at time: Int64) -> String? {
        state.withLock { state in
            guard state.track != nil else { return nil }
            return state.renderer?.text(at: time &- state.style.delay) ?? ""
        }
    }

    /// Ends the thread; the source's subtitles must be closed or closing.
    func close() {
        source.subtitles.close()
        thread.withLock { $0.take() }?.join()
        state.withLock { $0.renderer = nil }
    }

    private func run() {
        while let item = source.subtitles.pop() {
            switch item {
            case .begin(let format):
                // Not under the lock, which the player's thread takes for every frame: fonts are looked for here.
                let made = SubtitleRenderer(format)
                state.withLock { state in
                    guard state.track == format.track else { return }
                    made.scale = state.style.scale
                    state.renderer = made
                }
            case .events(let events):
                state.withLock { $0.renderer?.add(events) }
                changed()
            case .gap(let end):
                state.withLock { $0.renderer?.closeOpen(at: end) }
                changed()
            }
        }
    }
}
