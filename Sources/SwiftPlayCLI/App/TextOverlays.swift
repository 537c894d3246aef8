import Dispatch
import SharedFrames
import Subtitles
import SwiftPlayKit
import SystemCalls

/// The text that IPC clients draw over the picture in the window (mpv's command `osd-overlay`). Safe to use from any
/// thread. Text is drawn on a queue of its own, because the first drawing searches for fonts.
final class TextOverlays: Sendable {
    /// The text of one client.
    struct Entry: Sendable, Equatable {
        /// The name of the client. Each client numbers its own texts.
        let client: String
        /// The number of the text, which the client has chosen.
        let id: Int
        var overlay: TextOverlay
        /// The position in the drawing order: larger numbers are drawn later, above the others.
        var z: Int
        var isHidden: Bool
    }

    /// The pictures of all visible entries, and what they were drawn for.
    private struct Drawing {
        let size: PixelSize
        let changeCount: Int
        let images: [PlayerViewController.OverlayImage]
    }

    private struct State {
        /// The entries in drawing order.
        var entries: [Entry] = []
        /// The number of changes of ``entries``.
        var changeCount = 0
        /// The newest drawing; nil before the first one.
        var drawing: Drawing?
        /// Whether the queue is drawing or about to draw.
        var isDrawing = false
    }

    private let state = Monitor(State())
    /// The painter; nil until the first text is drawn.
    private let painter = Monitor<TextOverlayPainter?>(nil)
    private let queue = DispatchQueue(label: "text overlays")

    /// The largest number of texts of all clients together.
    static let entryLimit = 256
    /// The largest size of one text in bytes.
    static let byteLimit = 256 << 10
    /// The largest number of lines of one text.
    static let lineLimit = 1024

    /// The texts in drawing order.
    var entries: [Entry] { state.withLock { $0.entries } }

    /// Adds a text, or replaces the text of the same client and number.
    ///
    /// - Returns: False if a limit is exceeded; then nothing changes.
    func set(_ entry: Entry) -> Bool {
        let text = entry.overlay.text.utf8
        guard text.count <= Self.byteLimit, text.count(where: { $0 == UInt8(ascii: "\n") }) < Self.lineLimit else {
            return false
        }
        return state.withLock { state in
            var entries = state.entries.filter { $0.client != entry.client || $0.id != entry.id }
            guard entries.count < Self.entryLimit else { return false }
            entries.insert(entry, at: entries.firstIndex { $0.z > entry.z } ?? entries.endIndex)
            (state.entries, state.changeCount) = (entries, state.changeCount + 1)
            return true
        }
    }

    /// Removes the texts of a client.
    ///
    /// - Parameter id: The number of the text; nil removes all texts of the client.
    /// - Returns: Whether there was such a text.
    @discardableResult
    func remove(client: String, id: Int? = nil) -> Bool {
        state.withLock { state in
            let count = state.entries.count
            state.entries.removeAll { $0.client == client && (id == nil || $0.id == id) }
            guard state.entries.count < count else { return false }
            state.changeCount += 1
            if state.entries.isEmpty { state.drawing = nil }
            return true
        }
    }

    /// Returns the pictures for a window, and draws them in the background if they have changed.
    ///
    /// - Parameter onDrawn: Called on any thread when new pictures are drawn.
    /// - Returns: The newest pictures for this size; empty if there are none yet.
    func images(for size: PixelSize, onDrawn: @escaping @Sendable () -> Void) -> [PlayerViewController.OverlayImage] {
        let (images, needsDrawing) = state.withLock { state in
            let drawing = state.drawing.flatMap { $0.size == size ? $0 : nil }
            let isCurrent = drawing?.changeCount == state.changeCount || state.entries.isEmpty
            let needsDrawing = !isCurrent && !state.isDrawing && !size.isEmpty
            if needsDrawing { state.isDrawing = true }
            return (state.entries.isEmpty ? [] : drawing?.images ?? [], needsDrawing)
        }
        if needsDrawing {
            queue.async { [self] in
                draw(in: size)
                onDrawn()
            }
        }
        return images
    }

    /// Draws the visible texts.
    private func draw(in size: PixelSize) {
        let (entries, changeCount) = state.withLock { ($0.entries, $0.changeCount) }
        let images = entries.filter { !$0.isHidden }.flatMap { boxes(of: $0.overlay, in: size) }.compactMap { box in
            PlayerViewController.OverlayImage(
                x: box.rect.x, y: box.rect.y, width: box.rect.width, height: box.rect.height,
                premultipliedBGRA: box.pixels)
        }
        state.withLock { state in
            // The texts may have been removed during the drawing.
            let isNeeded = !state.entries.isEmpty
            state.drawing = isNeeded ? Drawing(size: size, changeCount: changeCount, images: images) : nil
            state.isDrawing = false
        }
    }

    /// Returns the pixels of a text in a window of `size`. May wait until a drawing on another thread has ended.
    private func boxes(of overlay: TextOverlay, in size: PixelSize) -> [OverlayPicture.Box] {
        painter.withLock { painter in
            if painter == nil { painter = TextOverlayPainter() }
            return painter?.boxes(of: overlay, in: size) ?? []
        }
    }

    /// Returns the rectangle that a text covers in a window, in pixels of the script; nil if it shows nothing. Draws
    /// the text.
    func bounds(of overlay: TextOverlay, in size: PixelSize) -> (x0: Double, y0: Double, x1: Double, y1: Double)? {
        let rects = boxes(of: overlay, in: size).map(\.rect), script = overlay.resolvedScriptSize(in: size)
        guard let left = rects.map(\.x).min(), let top = rects.map(\.y).min(),
            let right = rects.map({ $0.x + $0.width }).max(), let bottom = rects.map({ $0.y + $0.height }).max()
        else { return nil }
        let scaleX = Double(script.width) / Double(size.width), scaleY = Double(script.height) / Double(size.height)
        return (Double(left) * scaleX, Double(top) * scaleY, Double(right) * scaleX, Double(bottom) * scaleY)
    }
}
