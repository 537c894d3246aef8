import MediaPipeline
import SharedFrames

/// Stores the events of one subtitle track and draws the visible events. Redraws only if the events or the area change.
/// One thread at a time.
package final class SubtitleRenderer {
    package let track: Int
    private let canvas: TextCanvas?
    private var timeline = SubtitleTimeline()
    /// The last drawings: one for the window and one for a floating window.
    private var drawn: [Drawn] = []
    /// The number of pictures drawn so far.
    package private(set) var drawings = 0

    /// The scale of text and bitmaps; 1 is the designed size.
    package var scale = 1.0 { didSet { if scale != oldValue { drawn = [] } } }

    private struct Drawn {
        let place: OverlayPlace
        let range: Range<Int64>
        let picture: OverlayPicture?

        /// Returns the part of this drawing's time range that stays valid after `event` is added.
        func before(_ event: SubtitleEvent) -> Drawn? {
            if event.end <= range.lowerBound || event.start >= range.upperBound { return self }
            return event.start > range.lowerBound
                ? Drawn(place: place, range: range.lowerBound..<event.start, picture: picture) : nil
        }
    }

    /// Creates a renderer. Loading the fonts may take a second.
    package init(_ format: SubtitleFormat) {
        track = format.track
        canvas = TextCanvas(format)
    }

    package func add(_ events: [SubtitleEvent]) {
        for event in events where timeline.add(event) {
            if case .text(let text) = event.content { canvas?.add(text, start: event.start, end: event.end) }
            drawn = drawn.compactMap { $0.before(event) }
        }
    }

    /// Ends open events at `time`: the events that follow it are unknown.
    package func closeOpen(at time: Int64) {
        if timeline.closeOpen(at: time) { drawn = [] }
    }

    /// Returns the overlay at a time: the same object while its content does not change.
    package func overlay(at time: Int64, in place: OverlayPlace) -> OverlayPicture? {
        if let last = drawn.first(where: { $0.place == place && $0.range.contains(time) }) { return last.picture }
        let (events, range) = timeline.active(at: time)
        let picture = events.isEmpty ? nil : draw(events, at: time, in: place)
        // An animated event is drawn for this moment only.
        let moves = events.contains {
            if case .text(let text) = $0.content { SubtitleText.isAnimated(text) } else { false }
        }
        drawn.removeAll { $0.place == place }
        drawn = drawn.suffix(1) + [Drawn(place: place, range: moves ? time..<(time &+ 1) : range, picture: picture)]
        return picture
    }

    /// Returns the text shown at a time.
    package func text(at time: Int64) -> String {
        Self.words(of: timeline.active(at: time).events)
    }

    private static func words(of events: [SubtitleEvent]) -> String {
        events.compactMap { event in
            if case .text(let text) = event.content { SubtitleText.plain(text) } else { nil }
        }.joined(separator: "\n")
    }

    private func draw(_ events: [SubtitleEvent], at time: Int64, in place: OverlayPlace) -> OverlayPicture? {
        guard !place.size.isEmpty else { return nil }
        drawings += 1
        var boxes: [OverlayPicture.Box] = []
        var hasText = false
        for event in events {
            switch event.content {
            case .text: hasText = true
            case .bitmaps(let bitmaps, let size):
                let area = BitmapScaler.area(of: bitmaps, canvas: size, place: place)
                boxes += bitmaps.compactMap {
                    BitmapScaler.box($0, canvas: size, area: area, size: place.size, scale: scale)
                }
            }
        }
        if hasText, let canvas { boxes += canvas.draw(at: time, in: place, scale: scale) }
        return boxes.isEmpty
            ? nil : OverlayPicture(size: place.size, boxes: boxes, text: hasText ? Self.words(of: events) : "")
    }
}
