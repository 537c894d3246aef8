import SharedFrames

/// Where the controls of a player's window are: pure geometry, for drawing and for hitting.
///
/// A panel at the lower edge with the scrubber above a row of buttons, and a bar with the title at the upper edge.
struct PlayerControlsLayout: Equatable, Sendable {
    let size: PixelSize
    /// Edge of a button.
    let edge: Int
    private var rects: [PlayerControl: PixelRect] = [:]

    private static let left: [PlayerControl] = [.playPause, .mute, .volume, .time]
    private static let right: [PlayerControl] = [.audioTracks, .subtitles, .pictureInPicture, .fullScreen]
    /// What is left out first where a window is narrow. Each has its key, too.
    private static let dispensable: [PlayerControl] = [.volume, .time, .audioTracks, .subtitles, .mute]
    private static let nowhere = PixelRect(x: 0, y: 0, width: 0, height: 0)

    /// - Parameter wanted: what has a use now. Not all of it may find room.
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

    /// Empty: it is not there.
    func rect(of control: PlayerControl) -> PixelRect { rects[control] ?? Self.nowhere }

    /// No room for anything.
    var isEmpty: Bool { rects.isEmpty }

    /// What the controls cover at the lower edge.
    var panel: PixelRect {
        guard let top = rects.values.map(\.y).min() else { return Self.nowhere }
        let y = max(0, top - margin)
        return PixelRect(x: 0, y: y, width: size.width, height: size.height - y)
    }

    /// What the title covers at the upper edge.
    var titleBar: PixelRect { isEmpty ? Self.nowhere : PixelRect(x: 0, y: 0, width: size.width, height: edge + margin) }

    func control(x: Int, y: Int) -> PlayerControl? {
        rects.first { $0.key != .time && $0.value.contains(x: x, y: y) }?.key
    }

    /// The line of the film within the scrubber.
    var line: PixelRect { middleLine(of: rect(of: .scrubber), inset: 0) }
    var volumeLine: PixelRect { middleLine(of: rect(of: .volume), inset: gap) }

    private func middleLine(of rect: PixelRect, inset: Int) -> PixelRect {
        guard rect.width > 2 * inset else { return Self.nowhere }
        let height = max(3, edge / 9)
        return PixelRect(
            x: rect.x + inset, y: rect.y + (rect.height - height) / 2, width: rect.width - 2 * inset, height: height)
    }

    /// The part of the film, 0 to 1, that a place on the line stands for.
    func filmPart(x: Int) -> Double { Self.part(of: line, x) }
    func volumePart(x: Int) -> Double { Self.part(of: volumeLine, x) }

    private static func part(of line: PixelRect, _ x: Int) -> Double {
        line.width > 1 ? min(1, max(0, Double(x - line.x) / Double(line.width - 1))) : 0
    }

    /// The largest picture that a preview has room for.
    var previewLimit: PixelSize {
        PixelSize(
            width: min(192, size.width / 3),
            height: max(0, min(192, size.height / 3, panel.y - gap - previewTextHeight)))
    }
    private var previewTextHeight: Int { edge * 2 / 3 }

    /// Above a place on the line: the picture there and, below it, its time.
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
