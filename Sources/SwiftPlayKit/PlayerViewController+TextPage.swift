import SharedFrames

extension PlayerViewController {
    /// Returns a page of text in the upper left corner of a window, on a dark background; nil if nothing fits.
    static func box(of lines: [String], in size: PixelSize) -> OverlayPicture.Box? {
        let fontSize = min(28, max(11, size.height / 26)), margin = fontSize / 2, lineHeight = fontSize * 4 / 3
        let longestCount = lines.map(\.count).max() ?? 0
        let width = min(size.width - 2 * margin, longestCount * fontSize * 2 / 3 + 2 * margin)
        let visibleLines = lines.prefix(max(0, (size.height - 4 * margin) / lineHeight))
        guard width > 0, !visibleLines.isEmpty else { return nil }
        let rect = PixelRect(
            x: margin, y: margin, width: width, height: visibleLines.count * lineHeight + 2 * margin)
        return CairoDrawing.drawBox(rect) { cairo in
            cairo.setRoundedRectangle(rect, radius: Double(margin) / 2)
            cairo.setGrey(0, 0.6)
            cairo.fill()
            cairo.setGrey(1)
            for (index, line) in visibleLines.enumerated() {
                let lineRect = PixelRect(
                    x: rect.x + margin, y: rect.y + margin + index * lineHeight, width: width - 2 * margin,
                    height: lineHeight)
                cairo.drawText(line, in: lineRect, size: Double(fontSize))
            }
        }
    }
}
