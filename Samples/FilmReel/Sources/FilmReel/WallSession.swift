import Dispatch
import Foundation
import SwiftPlay

/// The wall with its window, poster loader and frame timer. Handles the events of the window. Used on the main thread.
@MainActor
final class WallSession {
    let wall: Wall
    let loader: PosterLoader
    private let window: WallWindow
    private var timer: FrameTimer?
    private var eventSource: (any DispatchSourceRead)?
    private var isFocused = false
    private var isShown = false
    /// A closure that receives the events of the window after the session has handled them.
    var onEvent: ((WallEvent) -> Void)?
    /// A closure that is called before each frame. Returns whether another frame is needed even if the wall needs none.
    var onFrameDue: (() -> Bool)?
    /// A closure that is called with the reason when the window is lost, or the X server has refused a request.
    var onWindowLost: ((String) -> Void)?

    /// The number of threads that make posters.
    private static let makerCount = max(1, min(4, ProcessInfo.processInfo.activeProcessorCount))

    /// Opens the window and starts loading posters. Call ``start()`` after setting the closures.
    ///
    /// - Parameters:
    ///   - films: The films of the wall.
    ///   - storage: The storage of the posters.
    ///   - tile: The size of the posters.
    ///   - exceedsScreen: Whether the window may be larger than the screen.
    /// - Throws: ``FilmReelError``.
    init(films: [Film], storage: any PosterStorage, tile: PixelSize, exceedsScreen: Bool = false) throws {
        let requestedSize = Wall.windowSize(columns: 5, rows: 3, tile: tile)
        window = try WallWindow(title: "FilmReel", size: requestedSize, exceedsScreen: exceedsScreen)
        let weakSession = WeakSession(), arrivalSignal = ArrivalSignal { weakSession.session?.startFrames() }
        loader = PosterLoader(
            films: films, storage: storage, maker: PosterMaker(tile: tile), makerCount: Self.makerCount
        ) { arrivalSignal.signal() }
        let screenSize = window.screenSize
        let size =
            exceedsScreen
            ? requestedSize
            : PixelSize(
                width: min(requestedSize.width, screenSize.width), height: min(requestedSize.height, screenSize.height))
        wall = Wall(window: window, size: size, films: films, tile: tile, loader: loader)
        timer = FrameTimer { [weak self] in self?.drawFrame() ?? false }
        weakSession.session = self
    }

    /// Starts handling the events of the window. The closures must be set before this call.
    func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: window.descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.handleEvents() } }
        source.resume()
        eventSource = source
        handleEvents()
    }

    /// Ends the frame timer, the handling of events and the threads of the loader.
    func close() {
        timer?.stop()
        // A poster that arrives late must not start the timer again.
        timer = nil
        eventSource?.cancel()
        loader.close()
        Application.shared.setActivationState(nil, ofWindow: ObjectIdentifier(window))
    }

    /// Starts drawing frames. Drawing ends when no further frame is needed.
    func startFrames() {
        if timer?.isRunning != true { wall.resumeMotion() }
        timer?.start()
    }

    /// Shows texts at the left and right ends of the status line below the wall.
    func showStatus(left: String, right: String) {
        let size = PixelSize(width: wall.windowSize.width, height: StatusLine.height)
        let pixels = StatusLine.pixels(left: left, right: right, width: size.width)
        pixels.withUnsafeBytes { window.put($0, size: size, y: wall.layout.view.height) }
        window.flush()
    }

    private func drawFrame() -> Bool {
        // xcb may have read events into its queue while it sent requests, so that the descriptor is not readable.
        handleEvents()
        let isNeeded = onFrameDue?() ?? false
        wall.drawFrame()
        return isNeeded || wall.needsFrame
    }

    private func handleEvents() {
        for event in window.takeEvents() { handle(event) }
        if window.isLost { onWindowLost?("the connection to the X server is lost") }
    }

    private func handle(_ event: WallEvent) {
        switch event {
        case .surfaceRead(let segment): return wall.surfaceWasRead(segment: segment)
        case .failed(let reason):
            onWindowLost?(reason)
            return
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
        do { try wall.createSurface() } catch { onWindowLost?("\(error)") }
    }

    /// Reports whether the window is visible and focused, which determines the role of the program.
    private func reportActivation() {
        let state: Application.ActivationState =
            !isShown ? .background : isFocused ? .foregroundActive : .foregroundInactive
        Application.shared.setActivationState(state, ofWindow: ObjectIdentifier(window))
    }

    /// A weak reference to the session, for the closure that the threads of the loader call.
    @MainActor private final class WeakSession: Sendable { weak var session: WallSession? }
}
