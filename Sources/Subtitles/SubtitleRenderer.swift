import MediaPipeline
import SharedFrames

/// Stores the events of one subtitle track and draws the visible events. Redraws only if the events or the area change.
/// Used by one thread at a time.
package final class SubtitleRenderer {
    /// The identifier of the track (``MediaTrack/id``).
    package let track: Int
    /// The libass renderer for text events; nil if libass could not start.
    private let textCanvas: TextCanvas?
    /// The known events of the track.
    private var timeline = SubtitleTimeline()
    /// The overlays that were drawn last, for at most two areas: the main window and a floating window.
    private var cachedOverlays: [CachedOverlay] = []
    /// The number of overlays drawn so far.
    package private(set) var drawingCount = 0

    /// The factor by which text and bitmaps are enlarged; 1 shows them in their designed size.
    package var scale = 1.0 { didSet { if scale != oldValue { cachedOverlays = [] } } }

    /// A cached overlay: the area it was drawn for and the time range in which it is valid.
    private struct CachedOverlay {
        let place: OverlayGeometry
        let validRange: Range<Int64>
        let picture: OverlayPicture?

        /// Returns this overlay with the time range in which it stays valid after `event` is added; nil if it becomes
        /// invalid.
        func validPart(afterAdding event: SubtitleEvent) -> CachedOverlay? {
            if event.end <= validRange.lowerBound || event.start >= validRange.upperBound { return self }
            return event.start > validRange.lowerBound
                ? CachedOverlay(place: place, validRange: validRange.lowerBound..<event.start, picture: picture) : nil
        }
    }

    /// Creates a renderer. Loading the fonts may take a second.
    package init(_ format: SubtitleFormat) {
        track = format.track
        textCanvas = TextCanvas(format)
    }

    /// Adds events and discards cached overlays that the events change. Duplicates are ignored.
    package func add(_ events: [SubtitleEvent]) {
        for event in events where timeline.add(event) {
            if case .text(let text) = event.content { textCanvas?.add(text, start: event.start, end: event.end) }
            cachedOverlays = cachedOverlays.compactMap { $0.validPart(afterAdding: event) }
        }
    }

    /// Ends the bitmap events that have no end time at `time` (nanoseconds), because the events after `time` are
    /// unknown.
    package func endOpenEvents(at time: Int64) {
        if timeline.endOpenEvents(at: time) { cachedOverlays = [] }
    }

    /// Returns the overlay to show at a time; the same object while its content does not change, nil if there is
    /// nothing to show.
    package func overlay(at time: Int64, in place: OverlayGeometry) -> OverlayPicture? {
        if let last = cachedOverlays.first(where: { $0.place == place && $0.validRange.contains(time) }) {
            return last.picture
        }
        let (events, range) = timeline.activeEvents(at: time)
        let picture = events.isEmpty ? nil : draw(events, at: time, in: place)
        // The overlay of an animated event is valid only at exactly this time.
        let moves = events.contains {
            if case .text(let text) = $0.content { SubtitleText.isAnimated(text) } else { false }
        }
        cachedOverlays.removeAll { $0.place == place }
        let new = CachedOverlay(place: place, validRange: moves ? time..<(time &+ 1) : range, picture: picture)
        cachedOverlays = cachedOverlays.suffix(1) + [new]
        return picture
    }

    /// Returns the plain text that the track shows at a time (nanoseconds).
    package func text(at time: Int64) -> String {
        Self.plainText(of: timeline.activeEvents(at: time).events)
    }

    /// Returns the plain text of the events, one line per event.
    private static func plainText(of events: [SubtitleEvent]) -> String {
        events.compactMap { event in
            if case .text(let text) = event.content { SubtitleText.plainText(text) } else { nil }
        }.joined(separator: "\n")
    }

    /// Draws the visible events, and returns the overlay; nil if there is nothing to show.
    private func draw(_ events: [SubtitleEvent], at time: Int64, in place: OverlayGeometry) -> OverlayPicture? {
        guard !place.windowSize.isEmpty else { return nil }
        drawingCount += 1
        var boxes: [OverlayPicture.Box] = []
        var hasText = false
        for event in events {
            switch event.content {
            case .text: hasText = true
            case .bitmaps(let bitmaps, let size):
                let area = BitmapScaler.area(of: bitmaps, canvas: size, place: place)
                boxes += bitmaps.compactMap {
                    BitmapScaler.box($0, canvas: size, area: area, size: place.windowSize, scale: scale)
                }
            }
        }
        if hasText, let textCanvas { boxes += textCanvas.draw(at: time, in: place, scale: scale) }
        return boxes.isEmpty
            ? nil
            : OverlayPicture(size: place.windowSize, boxes: boxes, text: hasText ? Self.plainText(of: events) : "")
    }
}
