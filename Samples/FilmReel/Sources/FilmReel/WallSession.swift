import Dispatch
import Foundation
import SwiftPlay

/// The wall with its window, its posters and its timer. Handles the events that concern the window itself. Main thread.
@MainActor
final class WallSession {
    let wall: Wall
    let loader: PosterLoader
    private let window: WallWindow
    private var timer: FrameTimer?
    private var events: (any DispatchSourceRead)?
    private var isFocused = false
    private var isShown = false
    /// Receives the events of the user.
    var onEvent: ((WallEvent) -> Void)?
    /// Called before each frame. Returns whether another frame is needed, whatever the wall needs.
    var onFrameDue: (() -> Bool)?
    /// Called when the window is lost, with the reason.
    var onLoss: ((String) -> Void)?

    /// The number of posters that are made at the same time.
    private static let makerCount = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount))

    /// Opens the window.
    ///
    /// - Parameters:
    ///   - films: The films of the wall.
    ///   - storage: The place where posters are kept.
    ///   - tile: The size of the posters.
    ///   - exceedsScreen: Whether the window may be larger than the screen.
    /// - Throws: ``FilmReelError``.
    init(films: [Film], storage: any PosterStorage, tile: PixelArea, exceedsScreen: Bool = false) throws {
        let requested = Wall.windowSize(columns: 5, rows: 3, tile: tile)
        window = try WallWindow(title: "FilmReel", size: requested, exceedsScreen: exceedsScreen)
        let relay = WeakSession(), arrivals = ArrivalSignal { relay.session?.startFrames() }
        loader = PosterLoader(
            films: films, storage: storage, maker: PosterMaker(tile: tile), makerCount: Self.makerCount
        ) { arrivals.signal() }
        let screen = window.screenSize
        let size =
            exceedsScreen
            ? requested
            : PixelArea(width: min(requested.width, screen.width), height: min(requested.height, screen.height))
        wall = Wall(window: window, size: size, films: films, tile: tile, loader: loader)
        timer = FrameTimer { [weak self] in self?.frameIsDue() ?? false }
        relay.session = self
        let source = DispatchSource.makeReadSource(fileDescriptor: window.descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.handleEvents() } }
        source.resume()
        events = source
        handleEvents()
    }

    /// Closes the window and ends the threads of the posters.
    func close() {
        timer?.stop()
        events?.cancel()
        loader.close()
        Application.shared.setActivationState(nil, ofWindow: ObjectIdentifier(window))
    }

    /// Starts to draw frames, until nothing changes any more.
    func startFrames() {
        if timer?.isRunning != true { wall.resumeMotion() }
        timer?.start()
    }

    /// Shows text below the wall.
    func showStatus(left: String, right: String) {
        let size = PixelArea(width: wall.windowSize.width, height: StatusLine.height)
        let pixels = StatusLine.pixels(left: left, right: right, width: size.width)
        pixels.withUnsafeBytes { window.put($0, size: size, y: wall.layout.view.height) }
        window.flush()
    }

    private func frameIsDue() -> Bool {
        // The connection may have read events while it sent requests.
        handleEvents()
        let isNeeded = onFrameDue?() ?? false
        wall.drawFrame()
        return isNeeded || wall.needsFrame
    }

    private func handleEvents() {
        for event in window.takeEvents() { handle(event) }
        if window.isLost { onLoss?("the connection to the X server is lost") }
    }

    private func handle(_ event: WallEvent) {
        switch event {
        case .surfaceRead: return wall.surfaceWasRead()
        case .resized(let size):
            wall.resize(to: size)
            createSurface()
        case .exposed: wall.redraw()
        case .shown(let isShown):
            self.isShown = isShown
            if isShown { createSurface() } else { wall.releaseSurface() }
            reportActivation()
        case .focused(let isFocused):
            self.isFocused = isFocused
            reportActivation()
        default: break
        }
        onEvent?(event)
        startFrames()
    }

    private func createSurface() {
        guard isShown else { return }
        do { try wall.createSurface() } catch { onLoss?("\(error)") }
    }

    /// Reports how the user sees the window, from which the role of the program follows.
    private func reportActivation() {
        let state: Application.ActivationState =
            !isShown ? .background : isFocused ? .foregroundActive : .foregroundInactive
        Application.shared.setActivationState(state, ofWindow: ObjectIdentifier(window))
    }

    /// A reference that the threads of the posters may keep.
    @MainActor private final class WeakSession: Sendable { weak var session: WallSession? }
}
