import SharedFrames

/// The positions of the controls of a window, for drawing and for hit tests. A pure value.
///
/// A panel at the lower edge contains the slider above a row of buttons; a bar at the upper edge contains the title.
struct PlayerControlsLayout: Equatable, Sendable {
    let size: PixelSize
    /// The width and height of a button.
    let edge: Int
    private var rects: [PlayerControl: PixelRect] = [:]

    private static let left: [PlayerControl] = [.playPause, .mute, .volume, .time]
    private static let right: [PlayerControl] = [.audioTracks, .subtitles, .pictureInPicture, .fullScreen]
    /// The controls that are omitted first in narrow windows. Each has a key, too.
    private static let dispensable: [PlayerControl] = [.volume, .time, .audioTracks, .subtitles, .mute]
    private static let nowhere = PixelRect(x: 0, y: 0, width: 0, height: 0)

    /// Creates a layout.
    ///
    /// - Parameter wanted: The controls that have a function now. Some of them may not fit.
    init(size: PixelSize, wanted: Set<PlayerControl>) {
        self.size = size
        edge = min(52, max(24, min(size.width / 16, size.height / 12)))
        guard size.width >= 120, size.height >= 90 else { return }
        var shown = wanted
        for control in Self.dispensable where rowWidth(shown) > size.width - 2 * margin { shown.remove(control) }
        let y = size.height - margin - edge
        var x = margin
        for control in Self.left where shown.contains(control) {
            rects[control] = PixelRect(x: x, y: y, width: width(of: control), height: edge)
            x += width(of: control) + gap
        }
        x = size.width - margin
        for control in Self.right.reversed() where shown.contains(control) {
            x -= width(of: control)
            rects[control] = PixelRect(x: x, y: y, width: width(of: control), height: edge)
            x -= gap
        }
        if shown.contains(.scrubber) {
            let height = edge * 2 / 3
            rects[.scrubber] = PixelRect(x: margin, y: y - height, width: size.width - 2 * margin, height: height)
        }
    }

    private var margin: Int { edge / 4 }
    private var gap: Int { edge / 6 }

    private func width(of control: PlayerControl) -> Int {
        switch control {
        case .volume: edge * 2
        case .time: edge * 4
        case .audioTracks, .subtitles: edge * 5 / 3
        default: edge
        }
    }

    private func rowWidth(_ controls: Set<PlayerControl>) -> Int {
        let row = (Self.left + Self.right).filter(controls.contains)
        return row.reduce(0) { $0 + width(of: $1) } + max(0, row.count - 1) * gap
    }

    /// The rectangle of a control; empty if it is omitted.
    func rect(of control: PlayerControl) -> PixelRect { rects[control] ?? Self.nowhere }

    /// Whether no control fits.
    var isEmpty: Bool { rects.isEmpty }

    /// The panel at the lower edge.
    var panel: PixelRect {
        guard let top = rects.values.map(\.y).min() else { return Self.nowhere }
        let y = max(0, top - margin)
        return PixelRect(x: 0, y: y, width: size.width, height: size.height - y)
    }

    /// The title bar at the upper edge.
    var titleBar: PixelRect { isEmpty ? Self.nowhere : PixelRect(x: 0, y: 0, width: size.width, height: edge + margin) }

    func control(x: Int, y: Int) -> PlayerControl? {
        rects.first { $0.key != .time && $0.value.contains(x: x, y: y) }?.key
    }

    /// The line within the slider.
    var line: PixelRect { middleLine(of: rect(of: .scrubber), inset: 0) }
    var volumeLine: PixelRect { middleLine(of: rect(of: .volume), inset: gap) }

    private func middleLine(of rect: PixelRect, inset: Int) -> PixelRect {
        guard rect.width > 2 * inset else { return Self.nowhere }
        let height = max(3, edge / 9)
        return PixelRect(
            x: rect.x + inset, y: rect.y + (rect.height - height) / 2, width: rect.width - 2 * inset, height: height)
    }

    /// Returns the part of the item, 0 to 1, at a position on the line.
    func filmPart(x: Int) -> Double { Self.part(of: line, x) }
    func volumePart(x: Int) -> Double { Self.part(of: volumeLine, x) }

    private static func part(of line: PixelRect, _ x: Int) -> Double {
        line.width > 1 ? min(1, max(0, Double(x - line.x) / Double(line.width - 1))) : 0
    }

    /// The largest size of a preview picture.
    var previewLimit: PixelSize {
        PixelSize(
            width: min(192, size.width / 3),
            height: max(0, min(192, size.height / 3, panel.y - gap - previewTextHeight)))
    }
    private var previewTextHeight: Int { edge * 2 / 3 }

    /// Returns the rectangles of the preview at a position: the picture and, below it, its time.
    func preview(x: Int, picture: PixelSize) -> (picture: PixelRect, time: PixelRect) {
        let bottom = panel.y - gap, textHeight = previewTextHeight, textWidth = min(edge * 2 + gap, size.width)
        func placed(_ width: Int, _ y: Int, _ height: Int) -> PixelRect {
            PixelRect(
                x: min(max(0, x - width / 2), max(0, size.width - width)), y: max(0, y), width: width, height: height)
        }
        let limit = previewLimit
        var fitted = PixelSize(width: 0, height: 0)
        if !picture.isEmpty {
            let isWide = picture.width * limit.height > picture.height * limit.width
            let width = min(picture.width, isWide ? limit.width : picture.width * limit.height / picture.height)
            fitted = PixelSize(width: width, height: picture.height * width / picture.width)
        }
        return (
            placed(fitted.width, bottom - textHeight - fitted.height, fitted.height),
            placed(textWidth, bottom - textHeight, textHeight)
        )
    }
}
