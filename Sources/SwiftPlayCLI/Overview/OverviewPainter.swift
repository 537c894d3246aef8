import SharedFrames
import SwiftPlayKit
import VideoOutput

/// Draws the window of the overview. Used by the thread of the window, because it keeps scaled pictures.
struct OverviewPainter {
    /// The scaled pictures of visible tiles, by their files.
    private var scaledPictures: [Snapshot.Version: ScaledPicture] = [:]

    /// A picture in the size of its place.
    private struct ScaledPicture {
        let size: PixelSize
        let pixels: [UInt32]
    }

    /// The shades of grey of the window, a tile, and a tile under the pointer, from 0 (black) to 1 (white).
    private static let windowGrey = 0.125, tileGrey = 0.185, hoveredGrey = 0.23

    /// Draws a scene into BGRX pixels; `stride` is the number of bytes between the starts of two rows.
    mutating func draw(_ scene: OverviewScene, _ pixels: UnsafeMutableRawPointer, _ size: PixelSize, stride: Int) {
        scalePictures(of: scene)
        CairoDrawing.draw(bgrx: pixels, size: size, stride: stride) { cairo in
            cairo.setRectangle(PixelRect(x: 0, y: 0, width: size.width, height: size.height))
            cairo.setGrey(Self.windowGrey)
            cairo.fill()
            for (index, tile) in scene.tiles.enumerated() {
                draw(tile, in: scene.layout.rect(of: scene.firstIndex + index, scroll: scene.scroll), scene, cairo)
            }
            if scene.layout.count == 0 { drawEmptyText(scene, cairo) }
            if let thumb = scene.layout.scrollThumb(scroll: scene.scroll) {
                cairo.setRoundedRectangle(thumb, radius: Double(thumb.width) / 2)
                cairo.setGrey(1, 0.35)
                cairo.fill()
            }
            if !scene.message.isEmpty { drawMessage(scene, cairo) }
        }
    }

    // MARK: Pictures

    /// Returns the place of a picture in the area of a tile. A picture whose shape nearly is that of the area fills it,
    /// without a black line beside it.
    private static func place(of snapshot: Snapshot, in area: PixelSize) -> PixelRect {
        let place = Placement(
            picture: snapshot.size, displaySize: snapshot.size, areaSize: area, gravity: .resizeAspect
        ).destination
        let rest = max(area.width - place.width, area.height - place.height)
        return rest > 2 ? place : PixelRect(x: 0, y: 0, width: area.width, height: area.height)
    }

    /// Scales the pictures that have no scaled copy yet, and forgets the copies of pictures that are not visible.
    private mutating func scalePictures(of scene: OverviewScene) {
        var visiblePictures: [Snapshot.Version: ScaledPicture] = [:]
        let area = PixelSize(width: scene.layout.tile.width, height: scene.layout.pictureHeight)
        for snapshot in scene.tiles.compactMap(\.snapshot) {
            let size = Self.place(of: snapshot, in: area).size
            if let known = scaledPictures[snapshot.version], known.size == size {
                visiblePictures[snapshot.version] = known
                continue
            }
            var pixels = [UInt32](repeating: 0, count: size.width * size.height)
            pixels.withUnsafeMutableBytes { buffer in
                guard let start = buffer.baseAddress else { return }
                CairoDrawing.draw(bgrx: start, size: size, stride: size.width * 4) { cairo in
                    snapshot.pixels.withUnsafeBytes {
                        cairo.drawPixels(
                            $0, snapshot.size, in: PixelRect(x: 0, y: 0, width: size.width, height: size.height))
                    }
                }
            }
            visiblePictures[snapshot.version] = ScaledPicture(size: size, pixels: pixels)
        }
        scaledPictures = visiblePictures
    }

    // MARK: Tiles

    /// Draws a tile.
    private func draw(_ tile: OverviewTile, in rect: PixelRect, _ scene: OverviewScene, _ cairo: CairoDrawing) {
        let layout = scene.layout, radius = Double(layout.scaled(8)), picture = layout.picture(in: rect)
        let isHovered = scene.hovered?.program == tile.program, isSelected = scene.selected == tile.program
        cairo.setRoundedRectangle(rect, radius: radius)
        cairo.withClip {
            cairo.setRectangle(rect)
            cairo.setGrey(isHovered ? Self.hoveredGrey : Self.tileGrey)
            cairo.fill()
            drawPicture(of: tile, in: picture, layout, cairo)
        }
        drawBadges(of: tile, in: picture, layout, cairo)
        drawTransfers(of: tile, in: picture, layout, cairo)
        drawText(of: tile, in: rect, layout, cairo)
        if isHovered || isSelected, !tile.isClosing {
            drawCloseButton(
                layout.closeButton(in: rect), isHovered: scene.hovered == .closeButton(tile.program), layout, cairo)
        }
        if isSelected {
            let width = layout.scaled(2)
            // The line lies around the tile, not over its picture.
            let ring = PixelRect(
                x: rect.x - width, y: rect.y - width, width: rect.width + 2 * width, height: rect.height + 2 * width)
            cairo.setRoundedRectangle(ring, radius: radius + Double(width))
            cairo.setGrey(0.92)
            cairo.stroke(Double(width))
        }
    }

    /// Draws the picture of a tile, or the text that stands for it.
    private func drawPicture(
        of tile: OverviewTile, in rect: PixelRect, _ layout: OverviewLayout, _ cairo: CairoDrawing
    ) {
        cairo.setRectangle(rect)
        cairo.setGrey(tile.snapshot == nil ? 0.09 : 0)
        cairo.fill()
        if let snapshot = tile.snapshot, let scaled = scaledPictures[snapshot.version] {
            let place = Self.place(of: snapshot, in: rect.size)
            let target = PixelRect(
                x: rect.x + place.x, y: rect.y + place.y, width: scaled.size.width, height: scaled.size.height)
            scaled.pixels.withUnsafeBytes { cairo.drawPixels($0, scaled.size, in: target) }
        } else {
            drawPlaceholder(of: tile, in: rect, layout, cairo)
        }
        if tile.isClosing {
            cairo.setRectangle(rect)
            cairo.setGrey(0, 0.6)
            cairo.fill()
        }
    }

    /// Draws the text that stands for a picture, above the transfers and beside the symbols.
    private func drawPlaceholder(
        of tile: OverviewTile, in rect: PixelRect, _ layout: OverviewLayout, _ cairo: CairoDrawing
    ) {
        let inset = layout.scaled(10), textSize = layout.scaled(13), button = layout.closeButton(in: rect)
        let bottom = layout.transferRows(tile.rowCount, in: rect).first?.y ?? rect.y + rect.height
        guard bottom - rect.y >= textSize else { return }
        var area = PixelRect(
            x: rect.x + inset, y: rect.y, width: rect.width - 2 * inset, height: bottom - rect.y)
        if rect.y + (area.height - textSize) / 2 < button.y + button.height {
            let badges = badges(of: tile, in: rect, layout)
            area.x = badges.last.map { $0.place.x + $0.place.width + layout.scaled(4) } ?? area.x
            area.width = button.x - area.x
        }
        cairo.setGrey(0.6)
        cairo.drawText(tile.placeholder, in: area, size: Double(textSize), .middle)
    }

    /// Returns the symbols of a floating window and of audio, and their places.
    private func badges(
        of tile: OverviewTile, in rect: PixelRect, _ layout: OverviewLayout
    ) -> [(icon: CairoDrawing.Icon, place: PixelRect)] {
        let button = layout.closeButton(in: rect), left = rect.x + button.y - rect.y
        let icons: [CairoDrawing.Icon] = (tile.isFloating ? [.floatingWindow] : []) + (tile.isAudible ? [.speaker] : [])
        return icons.enumerated().map { index, icon in
            var place = button
            place.x = left + index * (button.width + layout.scaled(4))
            return (icon, place)
        }
        .filter { $0.place.x + $0.place.width <= button.x }
    }

    /// Draws the symbols of a floating window and of audio in the upper left corner of a picture.
    private func drawBadges(
        of tile: OverviewTile, in rect: PixelRect, _ layout: OverviewLayout, _ cairo: CairoDrawing
    ) {
        for (icon, place) in badges(of: tile, in: rect, layout) {
            cairo.setRoundedRectangle(place, radius: Double(place.height) / 4)
            cairo.setGrey(0, 0.65)
            cairo.fill()
            cairo.setGrey(1, 0.95)
            cairo.draw(icon, in: place)
        }
    }

    /// Draws the rows of transfers over the lower part of a picture.
    private func drawTransfers(
        of tile: OverviewTile, in picture: PixelRect, _ layout: OverviewLayout, _ cairo: CairoDrawing
    ) {
        let rows = layout.transferRows(tile.rowCount, in: picture)
        guard let first = rows.first else { return }
        let top = max(picture.y, first.y - layout.scaled(4))
        cairo.setRectangle(
            PixelRect(x: picture.x, y: top, width: picture.width, height: picture.y + picture.height - top))
        cairo.setGrey(0, 0.75)
        cairo.fill()
        let textSize = Double(layout.scaled(12)), barHeight = layout.scaled(4)
        for (index, row) in rows.enumerated() {
            guard row.y >= picture.y else { continue }
            var line = row
            line.height = row.height - 2 * barHeight
            cairo.setGrey(0.95)
            guard index < tile.transfers.count else {
                cairo.drawText(tile.furtherTransfers, in: line, size: textSize)
                continue
            }
            let transfer = tile.transfers[index]
            // The detail is more important than the end of the name.
            let width = cairo.drawText(transfer.detail, in: line, size: textSize, .right)
            line.width -= width + layout.scaled(8)
            cairo.drawText(transfer.name, in: line, size: textSize)
            guard let share = transfer.share else { continue }
            var bar = PixelRect(x: row.x, y: line.y + line.height + 1, width: row.width, height: barHeight)
            cairo.setRoundedRectangle(bar, radius: Double(barHeight) / 2)
            cairo.setGrey(1, 0.3)
            cairo.fill()
            bar.width = Int(Double(bar.width) * share)
            cairo.setRoundedRectangle(bar, radius: Double(barHeight) / 2)
            cairo.setRed()
            cairo.fill()
        }
    }

    /// Draws the lines of text below a picture.
    private func drawText(of tile: OverviewTile, in rect: PixelRect, _ layout: OverviewLayout, _ cairo: CairoDrawing) {
        for (index, text) in tile.lines.enumerated() {
            var line = layout.textLine(index, in: rect)
            let size = Double(layout.scaled(index == 0 ? 15 : 13))
            if index == 1, !tile.age.isEmpty {
                cairo.setGrey(0.62)
                line.width -= cairo.drawText(tile.age, in: line, size: size, .right) + layout.scaled(8)
            }
            cairo.setGrey(index == 0 ? 0.95 : 0.72)
            cairo.drawText(text, in: line, size: size, isBold: index == 0)
        }
    }

    /// Draws the button that closes a program.
    private func drawCloseButton(
        _ rect: PixelRect, isHovered: Bool, _ layout: OverviewLayout, _ cairo: CairoDrawing
    ) {
        cairo.setRoundedRectangle(rect, radius: Double(rect.height) / 2)
        if isHovered { cairo.setRed() } else { cairo.setGrey(0, 0.65) }
        cairo.fill()
        cairo.setGrey(1, 0.95)
        cairo.draw(.cross, in: rect)
    }

    // MARK: Texts of the window

    private func drawEmptyText(_ scene: OverviewScene, _ cairo: CairoDrawing) {
        let layout = scene.layout, lineHeight = layout.scaled(26), margin = layout.margin
        var line = PixelRect(
            x: margin, y: layout.size.height / 2 - lineHeight, width: layout.size.width - 2 * margin, height: lineHeight
        )
        cairo.setGrey(0.9)
        cairo.drawText("No programs", in: line, size: Double(layout.scaled(17)), isBold: true, .middle)
        line.y += lineHeight
        cairo.setGrey(0.6)
        cairo.drawText(
            "Programs that play or load media appear here", in: line, size: Double(layout.scaled(13)), .middle)
    }

    private func drawMessage(_ scene: OverviewScene, _ cairo: CairoDrawing) {
        let layout = scene.layout, rect = layout.messageLine
        cairo.setRectangle(rect)
        cairo.setGrey(0.06)
        cairo.fill()
        var line = rect
        (line.x, line.width) = (layout.margin, rect.width - 2 * layout.margin)
        cairo.setGrey(0.95)
        cairo.drawText(scene.message, in: line, size: Double(layout.scaled(13)))
    }
}
