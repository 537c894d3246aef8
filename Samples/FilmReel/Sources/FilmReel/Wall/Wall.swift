import SwiftPlay

/// The wall of posters in its window: scrolls, and draws only the rows that come into the view. Main thread.
@MainActor
final class Wall {
    /// The width of the scroll bar.
    static let barWidth = 16

    let window: WallWindow
    let films: [Film]
    let loader: PosterLoader
    private(set) var layout: WallLayout
    private(set) var workingSet: WorkingSet
    /// The memory that the server reads; nil while the window is not on the screen.
    private var surface: SharedSurface?
    private var drawn = DrawnState()
    var motion = ScrollMotion()
    /// The host time of the last movement, in seconds.
    private var lastTime = HostTime.now
    /// A moving picture in the place of a poster.
    private var preview: (index: Int, picture: any Poster)?
    /// The selected poster.
    private(set) var selection = 0
    /// Receives each frame that the server has read.
    var onFrame: ((FrameRecord) -> Void)?

    /// Creates the wall of a window.
    init(window: WallWindow, size: PixelArea, films: [Film], tile: PixelArea, loader: PosterLoader) {
        (self.window, self.films, self.loader) = (window, films, loader)
        layout = WallLayout(tile: tile, view: Self.view(of: size), count: films.count)
        workingSet = WorkingSet(layout: layout, offset: 0, isScrollingUp: false)
        motion.setLimit(Double(layout.maximumOffset))
        loader.setWorkingSet(workingSet.order)
    }

    /// Returns the size of the wall in a window.
    private static func view(of size: PixelArea) -> PixelArea {
        PixelArea(width: max(1, size.width - barWidth), height: max(1, size.height - StatusLine.height))
    }

    /// Returns the size of a window that shows a number of columns and rows.
    static func windowSize(columns: Int, rows: Int, tile: PixelArea) -> PixelArea {
        PixelArea(
            width: columns * (tile.width + WallLayout.gap) + barWidth,
            height: rows * (tile.height + WallLayout.gap) + StatusLine.height)
    }

    /// The size of the window.
    var windowSize: PixelArea {
        PixelArea(width: layout.view.width + Self.barWidth, height: layout.view.height + StatusLine.height)
    }
    /// The offset of the view in whole pixels.
    var offset: Int { Int(motion.offset.rounded()) }
    /// The thumb of the scroll bar.
    var thumb: ScrollThumb { ScrollThumb(offset: offset, layout: layout) }
    /// Whether all visible posters are drawn.
    var isComplete: Bool { drawn.offset == offset && drawn.placeholders.isEmpty }
    /// Whether frames are needed: the view moves, or something on it has changed.
    var needsFrame: Bool {
        surface != nil && (!motion.isAtRest || drawn.offset != offset || !drawn.outdated.isEmpty || hasArrivals)
    }
    private var hasArrivals: Bool { drawn.placeholders.contains { loader.poster($0) != nil } }

    // MARK: Changes

    /// Adapts the wall to another size of the window. The selected poster stays visible.
    func resize(to size: PixelArea) {
        guard size != windowSize else { return }
        layout = WallLayout(tile: layout.tile, view: Self.view(of: size), count: films.count)
        motion.setLimit(Double(layout.maximumOffset))
        motion.jump(to: Double(layout.offset(revealing: selection, from: offset)))
        if surface != nil { releaseSurface() }
    }

    /// Creates the surface when the window is on the screen.
    func createSurface() throws {
        guard surface == nil else { return }
        surface = try SharedSurface(connection: window.connection, size: layout.view)
        drawn = DrawnState()
    }

    /// Releases the surface, whose memory counts as used.
    func releaseSurface() {
        surface = nil
        drawn = DrawnState()
    }

    /// Draws everything again.
    func redraw() { drawn.offset = nil }

    /// Selects a poster.
    func select(_ index: Int) {
        guard films.indices.contains(index), index != selection else { return }
        drawn.outdated.formUnion([selection, index])
        selection = index
    }

    /// Shows a moving picture in the place of a poster; nil shows the poster again.
    func setPreview(_ new: (index: Int, picture: any Poster)?) {
        for index in [preview?.index, new?.index] { if let index { drawn.outdated.insert(index) } }
        preview = new
    }

    // MARK: Frames

    /// Draws the next frame, unless nothing has changed. Waits for the server by skipping the frame.
    func drawFrame() {
        let now = HostTime.now
        guard let surface else { return }
        guard !drawn.isServerReading else { return drawn.isFrameDue = true }
        motion.advance(by: now - lastTime)
        lastTime = now
        updateWorkingSet()
        guard needsFrame || drawn.isFrameDue else { return }
        drawn.isFrameDue = false
        drawRows(of: surface)
        let ring = RingRows(height: layout.view.height), view = offset..<offset + layout.view.height
        let spans = ring.spans(of: view)
        for (number, span) in spans.enumerated() {
            window.put(
                surface, row: span.ringRow, y: span.content.lowerBound - offset, count: span.content.count,
                reportsReading: number == spans.count - 1)
        }
        drawThumb(isActive: false)
        window.flush()
        drawn.isServerReading = true
        drawn.work = HostTime.now - now
    }

    /// Handles the report that the server has read the surface.
    func surfaceWasRead() {
        guard drawn.isServerReading else { return }
        drawn.isServerReading = false
        onFrame?(
            FrameRecord(
                time: HostTime.now, work: drawn.work, visibleCount: workingSet.visible.count,
                placeholderCount: drawn.placeholders.count))
        if drawn.isFrameDue { drawFrame() }
    }

    /// Starts to move after a rest, without the time of the rest.
    func resumeMotion() { lastTime = HostTime.now }

    private func updateWorkingSet() {
        let set = WorkingSet(layout: layout, offset: offset, isScrollingUp: motion.isMovingUp)
        guard set != workingSet else { return }
        workingSet = set
        drawn.placeholders.formIntersection(set.visible)
        loader.setWorkingSet(set.order)
    }

    /// Draws the rows that came into the view, and the visible rows of posters that have changed.
    private func drawRows(of surface: SharedSurface) {
        let painter = WallPainter(layout: layout, target: surface.pixels, bytesPerRow: surface.bytesPerRow)
        let ring = RingRows(height: layout.view.height), view = offset..<offset + layout.view.height
        if drawn.offset == nil { drawn.placeholders = [] }
        let unread = painter.draw(rows: ring.newRows(from: drawn.offset, to: offset), selection: selection) { tile($0) }
        drawn.offset = offset
        let arrived = drawn.placeholders.filter { loader.poster($0) != nil }
        drawn.placeholders.subtract(arrived)
        let changed = drawn.outdated.union(arrived).intersection(workingSet.visible)
        drawn.outdated = []
        for index in changed.union(unread) {
            if !painter.draw(index, rows: view, isSelected: index == selection, tile(index)) {
                drawn.placeholders.insert(index)
                loader.reload(index)
            }
        }
    }

    /// Returns what is shown at the place of a poster, and records placeholders.
    private func tile(_ index: Int) -> WallPainter.Tile {
        if let preview, preview.index == index { return .poster(preview.picture) }
        if let poster = loader.poster(index) { return .poster(poster) }
        if loader.failure(of: index) != nil { return .failure }
        drawn.placeholders.insert(index)
        return .placeholder
    }

    /// Draws the scroll bar in three rectangles that do not overlap, so that it does not flicker.
    func drawThumb(isActive: Bool) {
        let thumb = thumb, x = layout.view.width, end = thumb.position + thumb.length
        window.fill(x: x, y: 0, width: Self.barWidth, height: thumb.position, color: WallPalette.bar)
        window.fill(
            x: x, y: thumb.position, width: Self.barWidth, height: thumb.length,
            color: isActive ? WallPalette.activeThumb : WallPalette.thumb)
        window.fill(x: x, y: end, width: Self.barWidth, height: layout.view.height - end, color: WallPalette.bar)
    }
}
