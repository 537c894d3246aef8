import SwiftPlay

/// The wall of posters: scrolls, and draws only the rows that come into the view. Used on the main thread.
@MainActor
final class Wall {
    /// The width of the scroll bar, in pixels.
    static let scrollBarWidth = 16

    let window: WallWindow
    let films: [Film]
    let loader: PosterLoader
    private(set) var layout: WallLayout
    private(set) var workingSet: WorkingSet
    /// The shared memory in which the wall is drawn; nil while the window is not on the screen.
    private var surface: SharedSurface?
    private var drawnState = DrawnState()
    var motion = ScrollMotion()
    /// The host time of the last call of ``drawFrame()`` that advanced the motion, in seconds.
    private var lastFrameTime = Timebase.hostTime.seconds
    /// The moving picture that replaces a poster; nil without a preview.
    private var preview: (index: Int, picture: any Poster)?
    /// The index of the selected poster.
    private(set) var selection = 0
    /// A closure that receives each frame that the X server has read.
    var onFrame: ((FrameRecord) -> Void)?

    /// Creates the wall of a window.
    init(window: WallWindow, size: PixelSize, films: [Film], tile: PixelSize, loader: PosterLoader) {
        (self.window, self.films, self.loader) = (window, films, loader)
        layout = WallLayout(tile: tile, view: Self.viewSize(of: size), count: films.count)
        workingSet = WorkingSet(layout: layout, offset: 0, isScrollingUp: false)
        motion.setLimit(Double(layout.maximumOffset))
        loader.setWorkingSet(workingSet.order)
    }

    /// Returns the size of the view in a window: the window without the scroll bar and the status line.
    private static func viewSize(of size: PixelSize) -> PixelSize {
        PixelSize(width: max(1, size.width - scrollBarWidth), height: max(1, size.height - StatusLine.height))
    }

    /// Returns the size of a window that shows `columns` columns and `rows` rows of posters.
    static func windowSize(columns: Int, rows: Int, tile: PixelSize) -> PixelSize {
        PixelSize(
            width: columns * (tile.width + WallLayout.gap) + scrollBarWidth,
            height: rows * (tile.height + WallLayout.gap) + StatusLine.height)
    }

    /// The size of the window.
    var windowSize: PixelSize {
        PixelSize(width: layout.view.width + Self.scrollBarWidth, height: layout.view.height + StatusLine.height)
    }
    /// The scroll offset of the view in whole pixels.
    var offset: Int { Int(motion.offset.rounded()) }
    /// The thumb of the scroll bar.
    var thumb: ScrollThumb { ScrollThumb(offset: offset, layout: layout) }
    /// Whether all visible posters are drawn at the current offset, without placeholders. A poster that could not be
    /// made is not a placeholder.
    var isComplete: Bool { drawnState.offset == offset && drawnState.placeholders.isEmpty }
    /// Whether another frame is needed: the view moves, or a visible poster has changed.
    var needsFrame: Bool {
        guard surface != nil else { return false }
        return !motion.isAtRest || drawnState.offset != offset || !drawnState.outdated.isEmpty
            || hasFinishedPlaceholders
    }
    private var hasFinishedPlaceholders: Bool { drawnState.placeholders.contains { loader.isFinished($0) } }

    // MARK: Changes

    /// Adapts the wall to another size of the window. The selected poster stays visible.
    func resize(to size: PixelSize) {
        guard size != windowSize else { return }
        layout = WallLayout(tile: layout.tile, view: Self.viewSize(of: size), count: films.count)
        motion.setLimit(Double(layout.maximumOffset))
        motion.jump(to: Double(layout.offset(revealing: selection, from: offset)))
        if surface != nil { releaseSurface() }
    }

    /// Creates the surface when the window is on the screen.
    func createSurface() throws {
        guard surface == nil else { return }
        surface = try SharedSurface(connection: window.connection, size: layout.view)
        drawnState = DrawnState()
    }

    /// Releases the surface, so that its memory is free while the window is hidden.
    func releaseSurface() {
        surface = nil
        drawnState = DrawnState()
    }

    /// Makes the next frame draw all rows again.
    func redraw() { drawnState.offset = nil }

    /// Selects a poster.
    func select(_ index: Int) {
        guard films.indices.contains(index), index != selection else { return }
        drawnState.outdated.formUnion([selection, index])
        selection = index
    }

    /// Shows a moving picture in place of a poster; nil shows the poster again.
    func setPreview(_ newPreview: (index: Int, picture: any Poster)?) {
        for index in [preview?.index, newPreview?.index] { if let index { drawnState.outdated.insert(index) } }
        preview = newPreview
    }

    // MARK: Frames

    /// Draws the next frame, unless nothing has changed. If the X server is still reading the previous frame, this
    /// method returns at once, and ``surfaceWasRead(segment:)`` draws the frame later.
    func drawFrame() {
        let now = Timebase.hostTime.seconds
        guard let surface else { return }
        guard !drawnState.isServerReading else { return drawnState.isFrameDue = true }
        motion.advance(by: now - lastFrameTime)
        lastFrameTime = now
        updateWorkingSet()
        guard needsFrame || drawnState.isFrameDue else { return }
        drawnState.isFrameDue = false
        drawRows(of: surface)
        let ring = RingRows(height: layout.view.height), view = offset..<offset + layout.view.height
        let spans = ring.spans(of: view)
        for (number, span) in spans.enumerated() {
            window.put(
                surface, row: span.ringRow, y: span.contentRows.lowerBound - offset, count: span.contentRows.count,
                reportsReading: number == spans.count - 1)
        }
        drawThumb()
        window.flush()
        drawnState.isServerReading = true
        drawnState.workTime = Timebase.hostTime.seconds - now
    }

    /// Handles the event that the X server has read a surface.
    ///
    /// - Parameter segment: The shared memory of the surface. Events of a surface that was released are ignored.
    func surfaceWasRead(segment: UInt32) {
        guard drawnState.isServerReading, surface?.segment == segment else { return }
        drawnState.isServerReading = false
        onFrame?(
            FrameRecord(
                time: Timebase.hostTime.seconds, workTime: drawnState.workTime, visibleCount: workingSet.visible.count,
                placeholderCount: drawnState.placeholders.count))
        if drawnState.isFrameDue { drawFrame() }
    }

    /// Excludes the time since the last frame from the motion, after frames were not drawn for some time.
    func resumeMotion() { lastFrameTime = Timebase.hostTime.seconds }

    private func updateWorkingSet() {
        let newSet = WorkingSet(layout: layout, offset: offset, isScrollingUp: motion.isMovingUp)
        guard newSet != workingSet else { return }
        workingSet = newSet
        drawnState.placeholders.formIntersection(newSet.visible)
        loader.setWorkingSet(newSet.order)
    }

    /// Draws the rows that came into the view, and the visible rows of changed posters.
    private func drawRows(of surface: SharedSurface) {
        let painter = WallPainter(layout: layout, target: surface.pixels, bytesPerRow: surface.bytesPerRow)
        let ring = RingRows(height: layout.view.height), view = offset..<offset + layout.view.height
        if drawnState.offset == nil { drawnState.placeholders = [] }
        let newRows = ring.newRows(from: drawnState.offset, to: offset)
        let unreadIndices = painter.draw(rows: newRows, selection: selection) { tileContent($0) }
        drawnState.offset = offset
        let finishedIndices = drawnState.placeholders.filter { loader.isFinished($0) }
        drawnState.placeholders.subtract(finishedIndices)
        let changedIndices = drawnState.outdated.union(finishedIndices).intersection(workingSet.visible)
        drawnState.outdated = []
        for index in changedIndices.union(unreadIndices) {
            if !painter.draw(index, rows: view, isSelected: index == selection, tileContent(index)) {
                drawnState.placeholders.insert(index)
                loader.reload(index)
            }
        }
    }

    /// Returns the content to draw for a poster, and records the poster if it is drawn as a placeholder.
    private func tileContent(_ index: Int) -> WallPainter.Tile {
        if let preview, preview.index == index { return .poster(preview.picture) }
        if let poster = loader.poster(index) { return .poster(poster) }
        if loader.failure(of: index) != nil { return .failure }
        drawnState.placeholders.insert(index)
        return .placeholder
    }

    /// Draws the scroll bar in three rectangles that do not overlap, so that the scroll bar does not flicker.
    private func drawThumb() {
        let thumb = thumb, x = layout.view.width, thumbEnd = thumb.position + thumb.length
        window.fill(x: x, y: 0, width: Self.scrollBarWidth, height: thumb.position, color: WallPalette.bar)
        window.fill(
            x: x, y: thumb.position, width: Self.scrollBarWidth, height: thumb.length, color: WallPalette.thumb)
        window.fill(
            x: x, y: thumbEnd, width: Self.scrollBarWidth, height: layout.view.height - thumbEnd,
            color: WallPalette.bar)
    }
}
