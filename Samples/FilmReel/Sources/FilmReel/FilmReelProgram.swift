import Dispatch
import Foundation
import Glibc
import SwiftPlay

/// Handles the user's actions on the wall: scrolling, playing films, previews and the display of memory usage. Used on
/// the main thread.
@MainActor
final class FilmReelProgram {
    private let session: WallSession
    /// The position of the pointer in the window; nil while the pointer is outside the window.
    private var pointerPosition: (x: Int, y: Int)?
    private var hover = HoverState()
    private var preview: FilmPreview?
    /// The indices of the films whose previews have failed. Their previews do not start again.
    private var failedPreviewIndices: Set<Int> = []
    private var player: FilmPlayer?
    /// The distance of the pointer from the upper end of the thumb while the user drags the thumb; nil otherwise.
    private var grip: Int?
    /// The poster on which the left button was pressed last, and the host time of the press in seconds.
    private var lastPress: (index: Int, time: Double)?
    /// The text about memory usage in the status line; nil if the text is hidden.
    private var memoryText: String?
    private var memoryTimer: (any DispatchSourceTimer)?
    private var statistics = FrameStatistics()

    /// The longest time between the two presses of a double click, in seconds.
    private static let doubleClickTime = 0.4
    /// The time between two updates of ``memoryText``. Each update takes the kernel a millisecond or more.
    private static let memoryInterval = DispatchTimeInterval.seconds(2)
    /// The number of steps of the mouse wheel that scroll the wall by one row.
    private static let wheelStepsPerRow = 3.0

    private var wall: Wall { session.wall }

    init(session: WallSession) {
        self.session = session
        session.onEvent = { [weak self] in self?.handle($0) }
        session.onFrameDue = { [weak self] in self?.updatePreview() ?? false }
        session.onWindowLost = { [weak self] in self?.quit(because: $0) }
        wall.onFrame = { [weak self] in self?.statistics.add($0.time) }
        session.start()
    }

    // MARK: Events

    private func handle(_ event: WallEvent) {
        switch event {
        case .key(let key): handle(key)
        case .wheel(let steps):
            wall.motion.scroll(by: Double(steps * wall.layout.cell.height) / Self.wheelStepsPerRow)
        case .pointerMoved(let x, let y): pointerMoved(x: x, y: y)
        case .pointerLeft: pointerPosition = nil
        case .button(true, let x, let y): buttonPressed(x: x, y: y)
        case .button(false, _, _): grip = nil
        case .resized, .exposed, .shown(true): updateStatus()
        case .shown(false):
            pointerPosition = nil
            endPreview()
        case .closeRequested: quit()
        case .focused, .surfaceRead, .failed: break
        }
    }

    private func handle(_ key: WallKey) {
        let columns = wall.layout.columnCount, postersPerPage = wall.layout.pageRowCount * columns
        switch key {
        case .left: select(wall.selection - 1)
        case .right: select(wall.selection + 1)
        case .up: select(wall.selection - columns)
        case .down: select(wall.selection + columns)
        case .pageUp: select(wall.selection - postersPerPage)
        case .pageDown, .space: select(wall.selection + postersPerPage)
        case .home: select(0)
        case .end: select(wall.films.count - 1)
        case .enter, .keypadEnter: play()
        case .p: player?.togglePictureInPicture()
        case .i: toggleMemoryText()
        case .q, .escape: quit()
        }
    }

    /// Selects a poster and moves it into the view.
    private func select(_ index: Int) {
        let index = min(max(0, index), wall.films.count - 1)
        wall.select(index)
        wall.motion.scroll(to: Double(wall.layout.offset(revealing: index, from: Int(wall.motion.target))))
        updateStatus()
    }

    private func pointerMoved(x: Int, y: Int) {
        pointerPosition = (x, y)
        if let grip { wall.motion.jump(to: Double(wall.thumb.offset(draggedTo: y, grip: grip))) }
    }

    private func buttonPressed(x: Int, y: Int) {
        if x >= wall.layout.view.width {
            let thumb = wall.thumb
            // A press beside the thumb centres the thumb at the pointer.
            grip = thumb.contains(y) ? y - thumb.position : thumb.length / 2
            return pointerMoved(x: x, y: y)
        }
        guard let index = wall.layout.index(atX: x, y: y, offset: wall.offset) else { return }
        let now = Timebase.hostTime.seconds
        let isDouble = lastPress.map { $0.index == index && now - $0.time < Self.doubleClickTime } ?? false
        wall.select(index)
        updateStatus()
        guard isDouble else { return lastPress = (index, now) }
        // A third press is not the second press of another double click.
        lastPress = nil
        play()
    }

    // MARK: Playing

    /// Plays the selected film, after closing the film that plays.
    private func play() {
        let film = wall.films[wall.selection]
        guard !film.isPicture else { return }
        endPreview()
        player?.close()
        do {
            player = try FilmPlayer(film: film) { [weak self] ended, failure in
                // Release the player only after this closure has returned to the player.
                DispatchQueue.main.async { MainActor.assumeIsolated { self?.handleEnd(of: ended, failure) } }
            }
        } catch { showFailure("\(error)") }
    }

    private func handleEnd(of ended: FilmPlayer, _ failure: String?) {
        // Another film may have started since this one ended.
        if player === ended { player = nil }
        if let failure { showFailure(failure) }
    }

    private func showFailure(_ text: String) {
        print("film-reel: \(text)")
        session.showStatus(left: text, right: "")
    }

    // MARK: Frames

    /// Starts, continues or ends the preview of the poster under the pointer. Called before each frame.
    ///
    /// - Returns: Whether another frame is needed.
    private func updatePreview() -> Bool {
        let now = Timebase.hostTime.seconds
        // The poster under the pointer also changes when the wall scrolls or the window gets another size.
        hover.move(to: indexUnderPointer, at: now)
        let hoveredIndex = wall.motion.isAtRest && player == nil ? hover.index(at: now) : nil
        if preview?.index != hoveredIndex {
            endPreview()
            if let hoveredIndex { startPreview(of: hoveredIndex) }
        }
        if let preview, let picture = preview.nextPicture() { wall.setPreview((preview.index, picture)) }
        if preview == nil, wall.motion.isAtRest { statistics = FrameStatistics() }
        return preview != nil || hover.isWaiting(at: now)
    }

    /// The index of the poster under the pointer; nil if there is none, or while the user drags the thumb.
    private var indexUnderPointer: Int? {
        guard grip == nil, let pointerPosition else { return nil }
        return wall.layout.index(atX: pointerPosition.x, y: pointerPosition.y, offset: wall.offset)
    }

    private func startPreview(of index: Int) {
        let film = wall.films[index]
        guard !film.isPicture, !failedPreviewIndices.contains(index) else { return }
        do {
            preview = try FilmPreview(film: film, index: index, tile: wall.layout.tile) { [weak self] failure in
                self?.handleEndOfPreview(at: index, failure)
            }
        } catch { handleEndOfPreview(at: index, "\(error)") }
    }

    /// Handles the end of a film's preview, or the failure to start it.
    private func handleEndOfPreview(at index: Int, _ failure: String?) {
        hover.finish()
        endPreview()
        guard let failure else { return }
        failedPreviewIndices.insert(index)
        showFailure(failure)
    }

    private func endPreview() {
        guard let preview else { return }
        preview.close()
        self.preview = nil
        wall.setPreview(nil)
    }

    // MARK: Status line

    private func updateStatus() {
        let film = wall.films[wall.selection]
        let failure = session.loader.failure(of: wall.selection).map { ": \($0)" } ?? ""
        session.showStatus(
            left: film.title + failure, right: memoryText ?? "\(wall.selection + 1) of \(wall.films.count)")
    }

    private func toggleMemoryText() {
        if let memoryTimer {
            memoryTimer.cancel()
            self.memoryTimer = nil
            memoryText = nil
            return updateStatus()
        }
        let queue = DispatchQueue(label: "memory figures", qos: .utility)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.memoryInterval)
        timer.setEventHandler { @Sendable [weak self] in
            let figures = ProcessFigures.current
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.showMemory(figures) } }
        }
        timer.resume()
        memoryTimer = timer
    }

    private func showMemory(_ figures: ProcessFigures?) {
        guard memoryTimer != nil else { return }
        memoryText =
            figures.map { figures in
                "dirty \(figures.dirty.megabytes) · mapped \(figures.clean.megabytes) · "
                    + "\(session.loader.readyCount) of \(wall.workingSet.order.count) posters ready · "
                    + "\(session.loader.madeCount) made · \(statistics.rate.rounded(toPlaces: 0)) frames/s"
            } ?? "the kernel reports no figures"
        updateStatus()
    }

    // MARK: End

    private func quit(because reason: String? = nil) {
        if let reason { print("film-reel: \(reason)") }
        preview?.close()
        player?.close()
        session.close()
        exit(reason == nil ? 0 : 1)
    }
}
