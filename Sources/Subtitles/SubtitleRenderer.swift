import MediaPipeline
import SharedFrames

/// Knows the events of one subtitle track and draws what is to be seen; only when that, or the place, has changed. One
/// thread at a time.
package final class SubtitleRenderer {
    package let track: Int
    private let canvas: TextCanvas?
    private var timeline = SubtitleTimeline()
    /// What was drawn last, for the window and for a floating one.
    private var drawn: [Drawn] = []
    /// Pictures drawn so far.
    package private(set) var drawings = 0

    /// Of the letters, and of pictures; 1 is as designed.
    package var scale = 1.0 { didSet { if scale != oldValue { drawn = [] } } }

    private struct Drawn {
        let place: OverlayPlace
        let range: Range<Int64>
        let picture: OverlayPicture?

        /// What of it still holds when `event` is there too.
        func before(_ event: SubtitleEvent) -> Drawn? {
            if event.end <= range.lowerBound || event.start >= range.upperBound { return self }
            return event.start > range.lowerBound
                ? Drawn(place: place, range: range.lowerBound..<event.start, picture: picture) : nil
        }
    }

    /// Looks for fonts: may take a second.
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

    /// Of what follows `time` nothing is known: what has no end of its own ends there.
    package func closeOpen(at time: Int64) {
        if timeline.closeOpen(at: time) { drawn = [] }
    }

    /// What lies over the picture at a moment; the same object while nothing changes.
    package func overlay(at time: Int64, in place: OverlayPlace) -> OverlayPicture? {
        if let last = drawn.first(where: { $0.place == place && $0.range.contains(time) }) { return last.picture }
        let (events, range) = timeline.active(at: time)
        let picture = events.isEmpty ? nil : draw(events, at: time, in: place)
        // What moves is drawn for this one moment.
        let moves = events.contains {
            if case .text(let text) = $0.content { SubtitleText.isAnimated(text) } else { false }
        }
        drawn.removeAll { $0.place == place }
        drawn = drawn.suffix(1) + [Drawn(place: place, range: moves ? time..<(time &+ 1) : range, picture: picture)]
        return picture
    }

    /// The words that are to be read at a moment.
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
