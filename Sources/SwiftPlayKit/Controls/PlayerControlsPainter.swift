import CCairo
import SharedFrames
import VideoOutput

/// Draws the controls (``ControlsScene``) as boxes of pixels that a window shows over the video picture.
struct PlayerControlsPainter {
    /// The appearance of the controls to draw.
    let scene: ControlsScene
    private var layout: PlayerControlsLayout { scene.layout }
    /// The width and height of a button in pixels.
    private var buttonSize: Double { Double(layout.buttonSize) }

    init(_ scene: ControlsScene) { self.scene = scene }

    /// The drawn controls as boxes of pixels; nil if there is nothing to draw.
    var picture: OverlayPicture? {
        var boxes: [OverlayPicture.Box?] = []
        let hasControls = scene.opacity > 0 && !layout.isEmpty
        if hasControls {
            boxes.append(CairoDrawing.drawBox(layout.panel, opacity: scene.opacity, drawPanel))
            if !scene.title.isEmpty {
                boxes.append(CairoDrawing.drawBox(layout.titleBar, opacity: scene.opacity, drawTitle))
            }
            boxes.append(sliderPreviewBox)
            boxes.append(chapterNameBox)
        }
        if let message = scene.message {
            boxes.append(messageBox(message, below: hasControls && !scene.title.isEmpty ? layout.titleBar.height : 0))
        }
        if let step = scene.bufferingStep { boxes.append(bufferingBox(step)) }
        let drawnBoxes = boxes.compactMap(\.self)
        return drawnBoxes.isEmpty ? nil : OverlayPicture(size: layout.size, boxes: drawnBoxes)
    }

    /// Draws the control panel: the sliders, the time and the buttons.
    private func drawPanel(_ cairo: CairoDrawing) {
        cairo.shadeRectangle(layout.panel, 0, 0.45, 0.6, 0.7, 0.8)
        drawSlider(
            cairo, layout.positionLine, brightTo: scene.playedEndX, lighterTo: scene.loadedEndX,
            marks: scene.chapterXs, isHovered: scene.hoveredControl == .scrubber)
        drawSlider(cairo, layout.volumeLine, brightTo: scene.volumeEndX, isHovered: scene.hoveredControl == .volume)
        cairo.setGrey(1, 0.95)
        cairo.drawText(scene.timeText, in: layout.rect(of: .time), size: buttonSize * 0.4)
        let buttons: [PlayerControl] = [
            .previous, .playPause, .next, .mute, .quality, .audioTracks, .subtitles, .pictureInPicture, .fullScreen,
        ]
        for button in buttons where layout.rect(of: button).width > 0 { draw(button, cairo) }
    }

    /// Draws a slider with its knob at the x-coordinate `knobX`. The line is red before the knob and grey after it:
    /// lighter grey up to the x-coordinate `loadedEndX`, the end of the loaded part. `marks` are the x-coordinates of
    /// dark marks on the line. The line is thicker while the pointer is over it.
    private func drawSlider(
        _ cairo: CairoDrawing, _ line: PixelRect, brightTo knobX: Int, lighterTo loadedEndX: Int? = nil,
        marks: [Int] = [], isHovered: Bool
    ) {
        guard line.width > 0 else { return }
        let lineThickness = isHovered ? line.height + max(2, line.height / 2) : line.height
        let y = line.y - (lineThickness - line.height) / 2, radius = Double(lineThickness) / 2
        cairo.setRoundedRectangle(PixelRect(x: line.x, y: y, width: line.width, height: lineThickness), radius: radius)
        cairo.setGrey(1, 0.3)
        cairo.fill()
        if let loadedEndX, loadedEndX > knobX {
            cairo.setRoundedRectangle(
                PixelRect(x: line.x, y: y, width: loadedEndX - line.x, height: lineThickness), radius: radius)
            cairo.setGrey(1, 0.4)
            cairo.fill()
        }
        cairo.setRoundedRectangle(
            PixelRect(x: line.x, y: y, width: max(0, knobX - line.x), height: lineThickness), radius: radius)
        cairo.setRed()
        cairo.fill()
        let markWidth = max(2, layout.scaled(2))
        cairo.setGrey(0, 0.8)
        for mark in marks {
            cairo.setRectangle(
                PixelRect(x: mark - markWidth / 2, y: y, width: markWidth, height: lineThickness))
            cairo.fill()
        }
        cairo.setCircle(
            Double(knobX), Double(line.y) + Double(line.height) / 2, Double(lineThickness) * (isHovered ? 1.3 : 0.9))
        cairo.setGrey(1)
        cairo.fill()
    }

    /// Draws the title of the item.
    private func drawTitle(_ cairo: CairoDrawing) {
        let bar = layout.titleBar, margin = layout.buttonSize / 4
        cairo.shadeRectangle(bar, 0.7, 0.5, 0)
        cairo.setGrey(1, 0.95)
        cairo.drawText(
            scene.title, in: PixelRect(x: margin, y: 0, width: bar.width - 2 * margin, height: layout.buttonSize),
            size: buttonSize * 0.42)
    }

    /// The drawn preview over the position slider: the time under the pointer and its picture.
    private var sliderPreviewBox: OverlayPicture.Box? {
        guard let preview = scene.sliderPreview else { return nil }
        let rects = layout.previewRects(x: preview.x, picture: preview.picture?.size ?? PixelSize(width: 0, height: 0))
        let hasPicture = preview.picture != nil && rects.picture.width > 0
        let border = layout.scaled(2)
        let left = max(0, min(rects.time.x, hasPicture ? rects.picture.x - border : .max))
        let right = max(
            rects.time.x + rects.time.width, hasPicture ? rects.picture.x + rects.picture.width + border : 0)
        let top = max(0, hasPicture ? rects.picture.y - border : rects.time.y)
        let box = PixelRect(
            x: left, y: top, width: min(right, layout.size.width) - left, height: rects.time.y + rects.time.height - top
        )
        return CairoDrawing.drawBox(box, opacity: scene.opacity) { cairo in
            if hasPicture, let picture = preview.picture {
                let pictureRect = rects.picture
                let borderRect = PixelRect(
                    x: pictureRect.x - border, y: pictureRect.y - border, width: pictureRect.width + 2 * border,
                    height: pictureRect.height + 2 * border)
                cairo.setRoundedRectangle(borderRect, radius: 4)
                cairo.setGrey(0, 0.8)
                cairo.fill()
                cairo.drawPicture(picture, in: pictureRect)
            }
            cairo.setRoundedRectangle(rects.time, radius: 4)
            cairo.setGrey(0, 0.7)
            cairo.fill()
            cairo.setGrey(1)
            cairo.drawText(preview.text, in: rects.time, size: buttonSize * 0.38, .middle)
        }
    }

    /// The drawn name of the chapter under the pointer, above the preview.
    private var chapterNameBox: OverlayPicture.Box? {
        guard let preview = scene.sliderPreview, let name = preview.chapterName,
            let rect = layout.chapterNameRect(
                x: preview.x, picture: preview.picture?.size ?? PixelSize(width: 0, height: 0))
        else { return nil }
        return CairoDrawing.drawBox(rect, opacity: scene.opacity) {
            $0.drawLabel(name, in: rect, size: buttonSize * 0.38)
        }
    }

    /// Draws the buffering ring in the middle of the picture.
    private func bufferingBox(_ step: Int) -> OverlayPicture.Box? {
        let size = layout.size, radius = BusyIndicator.radius(in: size), halfSize = Int(radius * 1.5)
        guard radius > 0 else { return nil }
        let (x, y) = (size.width / 2, size.height / 2)
        let box = PixelRect(x: x - halfSize, y: y - halfSize, width: 2 * halfSize, height: 2 * halfSize)
        return CairoDrawing.drawBox(box) { cairo in
            cairo.setCircle(Double(x), Double(y), Double(halfSize))
            cairo.setGrey(0, 0.45)
            cairo.fill()
            for dot in BusyIndicator.dots(step: step, x: Double(x), y: Double(y), radius: radius) {
                cairo.setCircle(dot.x, dot.y, dot.radius)
                cairo.setGrey(1, dot.opacity)
                cairo.fill()
            }
        }
    }

    /// Draws the message in the upper left corner, as mpv does.
    private func messageBox(_ message: String, below top: Int) -> OverlayPicture.Box? {
        let size = layout.size,
            fontSize = min(layout.scaled(40), max(min(layout.scaled(14), size.height / 8), size.height / 18, 14)),
            margin = max(2, fontSize / 3)
        let height = min(fontSize * 3 / 2, size.height - top - margin), maximumWidth = size.width - 2 * margin
        guard height > 0, maximumWidth > 0 else { return nil }
        // The box of the message is no wider than necessary, because it is blended over every video frame.
        let width = min(maximumWidth, message.count * fontSize + fontSize)
        let rect = PixelRect(x: margin, y: top + margin, width: width, height: height)
        return CairoDrawing.drawBox(rect) { $0.drawOutlinedText(message, in: rect, size: Double(fontSize)) }
    }
}

extension CairoDrawing {
    /// Draws a preview picture, scaled to its rectangle.
    func drawPicture(_ picture: PreviewPicture, in rect: PixelRect) {
        picture.pixels.withUnsafeBytes { drawPixels($0, picture.size, in: rect) }
    }
}
