import Dispatch
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// A window, or a terminal, that shows the frames of a player's layer. Main queue only.
///
/// ``openAutomatically(for:)`` opens it in the size of the video. Releasing its last reference closes it.
@MainActor
public final class PlayerWindow {
    /// An event of the window.
    public enum Event: Sendable, Equatable {
        /// A key was pressed; the value is mpv's name of the key.
        case key(String)
        /// The user requested that the window close, or the parent of the window was destroyed. The window stays open
        /// until the program closes it.
        case closeRequested
        /// The window entered (true) or left (false) full screen.
        case fullScreenChanged(Bool)
        /// A problem of the output, as a message for a log. The window stays open.
        case warning(String)
        /// The X server or the terminal was lost; the value is the reason.
        case lost(String)
    }

    /// The player's layer; nil if the program supplies its own frames.
    public let layer: PlayerLayer?
    private let router: FrameRouter
    var options: Options
    var output: (any VideoOutput)?
    /// The connection to the X server, created while the file is being opened; nil after the new window has taken it.
    let connection = Monitor<XConnection?>(nil)
    var observation: Player.Observation?
    /// The picture to which the size of the window was adapted last; nil before the first one.
    var fittedPicture: FittedPicture?
    /// The queue that connects to the display server and creates the window, which may block.
    let openingQueue = DispatchQueue(label: "window opening")
    /// A counter that increases at each opening and closing of the window. Openings with an older number are obsolete.
    var openingNumber = 0
    /// The value of ``openingNumber`` for which a window is being created; nil if no window is being created.
    var pendingOpeningNumber: Int?
    /// Called on the main queue with each event.
    public var onEvent: ((Event) -> Void)?
    /// Called on the main queue if the window cannot be opened.
    public var onFailure: ((PlaybackError) -> Void)?
    /// Called with each event of the output before ``onEvent``. Returns true if it has handled the event.
    package var onOutputEvent: ((OutputEvent) -> Bool)?
    /// Called before pictures fill the terminal.
    package var willOpenTerminal: (() -> Void)?
    /// Called when the window has opened.
    package var onOpen: (() -> Void)?

    /// Creates a window, which ``openAutomatically(for:)`` or ``open(pictureWidth:pictureHeight:)`` opens, for a layer.
    ///
    /// - Parameters:
    ///   - layer: The layer that the window shows.
    ///   - options: The appearance of the window.
    public init(layer: PlayerLayer, options: Options = Options()) {
        self.layer = layer
        router = layer.router
        self.options = options
    }

    /// Creates a window in an X11 window of another program, or of another toolkit in this program.
    ///
    /// The window always fills its parent. It receives the pointer events, and it receives keys while the pointer is
    /// over it; ``activate()`` gives it the keyboard focus. When the parent is destroyed, ``onEvent`` receives
    /// ``Event/closeRequested``.
    ///
    /// - Parameters:
    ///   - parent: The ID of the parent, such as the result of `gdk_x11_surface_get_xid` or `QWidget::winId`.
    ///   - layer: The layer that the window shows.
    ///   - options: The options of the window. Those about a window's frame, size and position have no effect.
    public convenience init(parent: UInt32, layer: PlayerLayer, options: Options = Options()) {
        var options = options
        (options.kind, options.parent) = (.x11, parent)
        self.init(layer: layer, options: options)
    }

    /// Creates a window for the program's own pictures. ``open(pictureWidth:pictureHeight:)`` opens it.
    ///
    /// - Parameters:
    ///   - layer: The layer that the window shows.
    ///   - options: The appearance of the window.
    public init(layer: SampleBufferDisplayLayer, options: Options = Options()) {
        self.layer = nil
        router = layer.router
        self.options = options
    }

    deinit {
        guard let output else { return }
        if router.output === output { router.setOutput(nil) }
        output.close()
        ProgramVisibility.shared.setWindow(ObjectIdentifier(self), isShown: nil)
        Application.shared.removeWindow(ObjectIdentifier(self))
    }

    /// Opens the window if it is not open yet. Blocks until the display server or the terminal has replied;
    /// ``openAutomatically(for:)`` does not block.
    ///
    /// - Parameters:
    ///   - pictureWidth: The width of the picture in pixels.
    ///   - pictureHeight: The height of the picture in pixels.
    /// - Throws: `PlaybackError` with the code `output` if the window cannot be opened.
    public func open(pictureWidth: Int, pictureHeight: Int) throws {
        guard output == nil else { return }
        let handler = eventHandler()
        switch options.kind {
        case .null: output = HeadlessOutput()
        case .terminal:
            willOpenTerminal?()
            do {
                TerminalSignals.installCrashHandlers()
                let terminal = try TerminalSession(share: .standard)
                let terminalOutput = try TerminalOutput(
                    terminal: terminal, mode: options.terminal.mode, onEvent: handler)
                terminalOutput.setTitle(options.title)
                output = terminalOutput
            } catch { throw PlaybackError(.output, "the terminal cannot be used: \(error)") }
        case .x11: output = try makeX11Window(pictureWidth, pictureHeight, handler)()
        }
        finishOpening()
    }

    /// Returns the handler for the events of a video output, which may be called on any thread.
    func eventHandler() -> @Sendable (OutputEvent) -> Void {
        let owner = WeakReference(self)
        let coalescer = EventCoalescer { owner.window?.handle($0) }
        let windowID = ObjectIdentifier(self)
        return { [router, layer] event in
            switch event {
            case .redrawNeeded: router.redraw()
            case .visibilityChanged(let isVisible): layer?.setOnScreen(isVisible)
            case .shownChanged(let isShown):
                ProgramVisibility.shared.setWindow(windowID, isShown: isShown)
                Application.shared.changeWindow(windowID) { $0.isShown = isShown }
            case .focusChanged(let isFocused): Application.shared.changeWindow(windowID) { $0.isFocused = isFocused }
            case .fullScreenChanged(let isFullScreen):
                Application.shared.changeWindow(windowID) { $0.isFullScreen = isFullScreen }
                layer?.setFullScreen(isFullScreen)
                coalescer.enqueue(event)
            default: coalescer.enqueue(event)
            }
        }
    }

    /// Returns a closure, for any thread, that creates an X11 window and blocks until the X server replies.
    func makeX11Window(
        _ pictureWidth: Int, _ pictureHeight: Int, _ handler: @escaping @Sendable (OutputEvent) -> Void
    ) throws(PlaybackError) -> @Sendable () throws(PlaybackError) -> any VideoOutput {
        let x11 = try options.makeX11Options()
        let size = PixelSize(width: max(pictureWidth, 1), height: max(pictureHeight, 1))
        return { [connection] () throws(PlaybackError) -> any VideoOutput in
            do throws(XError) {
                let display =
                    if let openedConnection = connection.withLock({ $0.take() }) { openedConnection } else {
                        try XConnection()
                    }
                return try X11Output(connection: display, pictureSize: size, options: x11, onEvent: handler)
            } catch { throw PlaybackError(.output, error.description) }
        }
    }

    /// Connects the layer to the new output, and reports that the window is open.
    func finishOpening() {
        let windowID = ObjectIdentifier(self)
        openingNumber += 1
        connection.withLock { $0 = nil }
        if let windowOutput {
            Self.recordOpenWindow(windowOutput)
        }
        if options.kind == .x11 { ProgramVisibility.shared.setWindow(windowID, isShown: true) }
        if options.kind != .null {
            let hasFocus = windowOutput?.hasFocus ?? true, picture = ObjectIdentifier(router)
            Application.shared.changeWindow(windowID) { window in
                (window.isShown, window.router) = (true, picture)
                window.isFocused = window.isFocused || hasFocus
                window.isFullScreen = window.isFullScreen || options.isFullScreen
            }
        }
        layer?.setFullScreen(options.isFullScreen)
        router.setOutput(output)
        // If the output is a terminal, Picture-in-Picture can now start in a corner of it.
        if options.kind == .terminal { layer?.handleItemChange() }
        adaptToChangedAspectRatio()
        onOpen?()
    }

    @MainActor final class WeakReference: Sendable {
        weak var window: PlayerWindow?
        init(_ window: PlayerWindow) { self.window = window }
    }

    private func handle(_ event: OutputEvent) {
        if onOutputEvent?(event) == true { return }
        switch event {
        case .key(let name), .pointer(.pressed(let name, _, _)): onEvent?(.key(name))
        case .closeRequested: onEvent?(.closeRequested)
        case .fullScreenChanged(let isFullScreen): onEvent?(.fullScreenChanged(isFullScreen))
        case .warning(let reason): onEvent?(.warning(reason))
        case .lost(let reason): onEvent?(.lost(reason))
        case .resized, .visibilityChanged, .shownChanged, .focusChanged, .redrawNeeded, .pointer: break
        }
    }

    /// Shows a line of text at the lower edge, if the output can draw text.
    ///
    /// - Parameter text: The text; nil removes it.
    public func showMessage(_ text: String?) { output?.showMessage(text) }

    /// Whether the window is open.
    public var isOpen: Bool { output != nil }

    /// The title of the window.
    public var title: String {
        get { options.title }
        set {
            options.title = newValue
            output?.setTitle(newValue)
        }
    }

    /// The video output that draws the controls; nil while no window is open, and for outputs without a pointer.
    package var windowOutput: (any WindowOutput)? { output?.windowOutput }

    /// Closes the window and ends ``openAutomatically(for:)``. Playback continues.
    public func close() {
        observation = nil
        openingNumber += 1
        router.setOutput(nil)
        output?.close()
        output = nil
        layer?.setFullScreen(false)
        ProgramVisibility.shared.setWindow(ObjectIdentifier(self), isShown: nil)
        Application.shared.removeWindow(ObjectIdentifier(self))
    }
}
