import MediaPipeline
import SharedFrames

/// A renderer that stores the events of one subtitle track and draws the visible events. It draws again only if the
/// visible events, the scale or the overlay geometry change. Used by one thread at a time.
package final class SubtitleRenderer {
    /// The identifier of the track (``MediaTrack/id``).
    package let trackID: Int
    /// Whether text is drawn at the upper edge, in the default style.
    private let isAtTop: Bool
    /// The libass renderer for text events; nil if libass could not start.
    private let textCanvas: TextCanvas?
    /// The known events of the track.
    private var timeline = SubtitleTimeline()
    /// The overlays that were drawn most recently, for at most two geometries: that of the main window and that of a
    /// floating window.
    private var cachedOverlays: [CachedOverlay] = []
    /// The number of overlays drawn so far.
    package private(set) var drawingCount = 0

    /// The factor by which text and bitmaps are enlarged; 1 keeps the size that the track defines.
    package var scale = 1.0 { didSet { if scale != oldValue { cachedOverlays = [] } } }
    /// The vertical position of text in percent: 100 is the position that the track defines, 0 the upper edge.
    package var position = 100.0 { didSet { if position != oldValue { cachedOverlays = [] } } }
    /// The factor by which text without a style of its own is enlarged, in addition to ``scale``.
    package var textScale = 1.0 { didSet { if textScale != oldValue { cachedOverlays = [] } } }

    /// A drawn overlay, the geometry for which it was drawn, and the time range in which it is valid.
    private struct CachedOverlay {
        let geometry: OverlayGeometry
        let validRange: Range<Int64>
        let picture: OverlayPicture?

        /// Returns this overlay with the time range in which it is still valid after `event` is added; nil if no such
        /// range exists.
        func limitedToValidRange(afterAdding event: SubtitleEvent) -> CachedOverlay? {
            if event.end <= validRange.lowerBound || event.start >= validRange.upperBound { return self }
            guard event.start > validRange.lowerBound else { return nil }
            return CachedOverlay(
                geometry: geometry, validRange: validRange.lowerBound..<event.start, picture: picture)
        }
    }

    /// The version of libass, as its header encodes it.
    package static var libraryVersion: Int { TextCanvas.libraryVersion }

    /// Creates a renderer. Loading the fonts may take a second.
    ///
    /// - Parameter isAtTop: Whether text is drawn at the upper edge, in the default style and without its formatting.
    package init(_ format: SubtitleFormat, isAtTop: Bool = false) {
        (trackID, self.isAtTop) = (format.track, isAtTop)
        textCanvas = TextCanvas(isAtTop ? SubtitleFormat(track: format.track) : format)
    }

    /// Adds events and discards cached overlays that the events change. Duplicates are ignored.
    package func add(_ events: [SubtitleEvent]) {
        for event in events where timeline.add(event) {
            if case .text(let text) = event.content {
                textCanvas?.add(
                    isAtTop ? SubtitleText.topAlignedPlainEvent(text) : text, start: event.start, end: event.end)
            }
            cachedOverlays = cachedOverlays.compactMap { $0.limitedToValidRange(afterAdding: event) }
        }
    }

    /// Sets `time` (nanoseconds) as the end time of the visible bitmap events that have no end time, because the events
    /// after `time` are unknown.
    package func endOpenEvents(at time: Int64) {
        if timeline.endOpenEvents(at: time) { cachedOverlays = [] }
    }

    /// Returns the overlay to show at a time; the same object while its content does not change, nil if there is
    /// nothing to show.
    package func overlay(at time: Int64, in geometry: OverlayGeometry) -> OverlayPicture? {
        if let cachedOverlay = cachedOverlays.first(where: { $0.geometry == geometry && $0.validRange.contains(time) })
        {
            return cachedOverlay.picture
        }
        let (events, validRange) = timeline.activeEvents(at: time)
        let picture = events.isEmpty ? nil : draw(events, at: time, in: geometry)
        // The overlay of an animated event is valid only at exactly this time.
        let isAnimated = events.contains {
            if case .text(let text) = $0.content { !isAtTop && SubtitleText.isAnimated(text) } else { false }
        }
        cachedOverlays.removeAll { $0.geometry == geometry }
        let newOverlay = CachedOverlay(
            geometry: geometry, validRange: isAnimated ? time..<(time &+ 1) : validRange, picture: picture)
        cachedOverlays = cachedOverlays.suffix(1) + [newOverlay]
        return picture
    }

    /// Returns the plain text that the track shows at a time (nanoseconds).
    package func text(at time: Int64) -> String {
        Self.plainText(of: timeline.activeEvents(at: time).events)
    }

    /// Returns the text that the track shows at a time (nanoseconds), with the formatting tags of ASS.
    package func taggedText(at time: Int64) -> String {
        timeline.activeEvents(at: time).events.compactMap { event in
            if case .text(let text) = event.content { SubtitleText.taggedText(text) } else { nil }
        }.joined(separator: "\n")
    }

    /// Returns the start of the first and the end of the last event that is visible at a time, in nanoseconds; nil if
    /// the track shows nothing then. The end is nil if it is not known yet.
    package func visibleTimes(at time: Int64) -> (start: Int64, end: Int64?)? {
        let events = timeline.activeEvents(at: time).events
        guard let start = events.map(\.start).min(), let end = events.map(\.end).max() else { return nil }
        return (start, end == .max ? nil : end)
    }

    /// Returns the start time of another event: see ``SubtitleTimeline/startTime(of:from:)``.
    package func startTime(of count: Int, from time: Int64) -> Int64? { timeline.startTime(of: count, from: time) }

    /// Returns the plain text of the events, one line per event.
    private static func plainText(of events: [SubtitleEvent]) -> String {
        events.compactMap { event in
            if case .text(let text) = event.content { SubtitleText.plainText(text) } else { nil }
        }.joined(separator: "\n")
    }

    /// Draws the visible events, and returns the overlay; nil if there is nothing to show.
    private func draw(_ events: [SubtitleEvent], at time: Int64, in geometry: OverlayGeometry) -> OverlayPicture? {
        guard !geometry.windowSize.isEmpty else { return nil }
        drawingCount += 1
        var boxes: [OverlayPicture.Box] = []
        var hasText = false
        for event in events {
            switch event.content {
            case .text: hasText = true
            case .bitmaps(let bitmaps, let canvasSize):
                let area = BitmapScaler.area(of: bitmaps, canvas: canvasSize, in: geometry)
                boxes += bitmaps.compactMap {
                    BitmapScaler.box($0, canvas: canvasSize, area: area, size: geometry.windowSize, scale: scale)
                }
            }
        }
        if hasText, let textCanvas {
            textCanvas.position = position
            let textScale = textCanvas.usesDefaultStyle ? textScale : 1
            boxes += textCanvas.draw(at: time, in: geometry, scale: scale * textScale)
        }
        return boxes.isEmpty
            ? nil
            : OverlayPicture(size: geometry.windowSize, boxes: boxes, text: hasText ? Self.plainText(of: events) : "")
    }
}
