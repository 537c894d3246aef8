import Dispatch
import Glibc
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// A window, or a terminal, that shows a layer. Main queue only.
///
/// It opens with the first picture, in the size of that picture, and closes with its last reference.
@MainActor
public final class PlayerWindow {
    /// The output of pictures (mpv's `--vo`).
    public enum Kind: String, Sendable, CaseIterable {
        /// A window of an X11 display.
        case x11
        /// The terminal of the process.
        case terminal
        /// No output.
        case null
    }

    /// How a terminal draws pictures.
    public enum TerminalGraphics: String, Sendable, CaseIterable {
        /// The kitty protocol if the terminal supports it, else characters.
        case automatic
        /// Unicode characters in 24-bit color.
        case symbols
        /// Sixel graphics.
        case sixel
        /// The kitty graphics protocol.
        case kitty
    }

    /// Whether the X Present extension is used (mpv's `--x11-present`).
    public enum X11Present: String, Sendable, CaseIterable {
        /// On screens with a refresh rate, so that no picture tears. Not on virtual screens.
        case auto
        /// Always.
        case yes
        /// Never. The times at which pictures appear are not known then.
        case no
    }

    /// How a window looks when it opens.
    public struct Options: Sendable {
        /// Where pictures are drawn.
        public var kind = Kind.x11
        /// The title of the window.
        public var title = "SwiftPlay"
        /// The size and position, as `[W[xH]][+x+y]` (mpv's `--geometry`); nil for those of the picture.
        public var geometry: String?
        /// Whether the window opens in full screen.
        public var isFullScreen = false
        /// How a terminal draws pictures.
        public var terminal = TerminalGraphics.automatic
        /// How pictures appear on an X11 screen.
        public var x11Present = X11Present.auto
        /// Creates the default options.
        public init() {}
    }

    /// An event of the window.
    public enum Event: Sendable, Equatable {
        /// A key was pressed; the value is mpv's name of the key.
        case key(String)
        /// The user asked to close the window. The window stays open until the program closes it.
        case closeRequested
        /// The window entered full screen (true) or left it.
        case fullScreenChanged(Bool)
        /// A problem of the output, as a message for a log. The window stays open.
        case trouble(String)
        /// The display was lost; the value is the reason.
        case lost(String)
    }

    /// The player's layer; nil for pictures of the program's own.
    public let layer: PlayerLayer?
    private let router: FrameRouter
    var options: Options
    var output: (any VideoOutput)?
    /// The connection that is made while the file is being opened. The window uses it.
    let connection = Monitor<XConnection?>(nil)
    var observation: Player.Observation?
    /// The queue that connects to the display server and creates the window, which may block.
    let opener = DispatchQueue(label: "window opening")
    /// The number of openings and closings, which makes an older opening obsolete.
    var openings = 0
    /// The value of ``openings`` for which a window is being created.
    var openingNumber: Int?
    /// Called on the main queue with each event.
    public var onEvent: ((Event) -> Void)?
    /// Called on the main queue if the window cannot be opened.
    public var onFailure: ((PlaybackError) -> Void)?
    /// Called with each event of the output first. Returns true if it has handled the event.
    package var onOutput: ((OutputEvent) -> Bool)?
    package var onOpen: (() -> Void)?

    /// Creates a window for a player's layer. The window opens with the first picture.
    ///
    /// - Parameters:
    ///   - layer: The layer that the window shows.
    ///   - options: How the window looks.
    public init(layer: PlayerLayer, options: Options = Options()) {
        self.layer = layer
        router = layer.router
        self.options = options
    }

    /// Creates a window for pictures of the program's own. ``open(pictureWidth:pictureHeight:)`` opens it.
    ///
    /// - Parameters:
    ///   - layer: The layer that the window shows.
    ///   - options: How the window looks.
    public init(layer: SampleBufferDisplayLayer, options: Options = Options()) {
        self.layer = nil
        router = layer.router
        self.options = options
    }

    deinit {
        guard let output else { return }
        if router.output === output { router.setOutput(nil) }
        output.close()
        ProgramPresence.shared.setWindow(ObjectIdentifier(self), isShown: nil)
    }

    /// Opens the window if it is not open yet. Blocks until the display server or the terminal has answered;
    /// ``openAutomatically(for:)`` does not.
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
            do {
                TerminalSignals.installCrashHandlers()
                let terminal = try TerminalSession(share: .standard)
                let made = try TerminalOutput(terminal: terminal, mode: terminalMode, onEvent: handler)
                made.setTitle(options.title)
                output = made
            } catch { throw PlaybackError(.output, "the terminal cannot be used: \(error)") }
        case .x11: output = try makeX11Window(pictureWidth, pictureHeight, handler)()
        }
        opened()
    }

    /// Returns the handler for events of an output, which may be called on any thread.
    func eventHandler() -> @Sendable (OutputEvent) -> Void {
        let relay = Relay(self)
        let funnel = EventFunnel { relay.window?.handle($0) }
        let name = ObjectIdentifier(self)
        return { [router, layer] event in
            switch event {
            case .redrawNeeded: router.redraw()
            case .visibilityChanged(let isVisible): layer?.setOnScreen(isVisible)
            case .shownChanged(let isShown): ProgramPresence.shared.setWindow(name, isShown: isShown)
            case .fullScreenChanged(let on):
                layer?.setFullScreen(on)
                funnel.pour(event)
            default: funnel.pour(event)
            }
        }
    }

    /// Returns a closure that creates an X11 window. It may be called on any thread and blocks for the display server.
    func makeX11Window(
        _ pictureWidth: Int, _ pictureHeight: Int, _ handler: @escaping @Sendable (OutputEvent) -> Void
    ) throws(PlaybackError) -> @Sendable () throws(PlaybackError) -> any VideoOutput {
        var x11 = X11Output.Options()
        x11.title = options.title
        x11.isFullScreen = options.isFullScreen
        x11.drawPlaceholder = PlaceholderPainter.draw
        x11.presentMode = XPresentMode(rawValue: options.x11Present.rawValue) ?? .auto
        if let text = options.geometry {
            guard let geometry = WindowGeometry(parsing: text) else {
                throw PlaybackError(.output, "'\(text)' is no geometry; it is [W[xH]][+x+y], like 640x360+10+10 or 50%")
            }
            x11.geometry = geometry
        }
        let size = PixelSize(width: max(pictureWidth, 1), height: max(pictureHeight, 1))
        return { [connection, x11] () throws(PlaybackError) -> any VideoOutput in
            do throws(XError) {
                let display = if let made = connection.withLock({ $0.take() }) { made } else { try XConnection() }
                return try X11Output(connection: display, pictureSize: size, options: x11, onEvent: handler)
            } catch { throw PlaybackError(.output, error.description) }
        }
    }

    /// Shows the layer in the new output.
    func opened() {
        let name = ObjectIdentifier(self)
        openings += 1
        connection.withLock { $0 = nil }
        if let canvas { Self.displays.withLock { $0 = $0.filter { $0.window != nil } + [Display(window: canvas)] } }
        if options.kind == .x11 { ProgramPresence.shared.setWindow(name, isShown: true) }
        layer?.setFullScreen(options.isFullScreen)
        router.setOutput(output)
        // A terminal has a corner for Picture-in-Picture now.
        if options.kind == .terminal { layer?.itemChanged() }
        onOpen?()
    }

    private struct Display: Sendable { weak var window: (any WindowOutput)? }
    nonisolated private static let displays = Monitor<[Display]>([])

    /// Ends the connections to display servers after `patience`, so that an exiting program does not wait for a server
    /// that does not answer. Any thread; returns at once.
    nonisolated package static func disconnectDisplays(after patience: DispatchTimeInterval) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + patience) {
            for display in displays.withLock({ $0 }) { display.window?.disconnect() }
        }
    }

    @MainActor final class Relay: Sendable {
        weak var window: PlayerWindow?
        init(_ window: PlayerWindow) { self.window = window }
    }

    private func handle(_ event: OutputEvent) {
        if onOutput?(event) == true { return }
        switch event {
        case .key(let name), .pointer(.pressed(let name, _, _)): onEvent?(.key(name))
        case .closeRequested: onEvent?(.closeRequested)
        case .fullScreenChanged(let on): onEvent?(.fullScreenChanged(on))
        case .trouble(let reason): onEvent?(.trouble(reason))
        case .lost(let reason): onEvent?(.lost(reason))
        case .resized, .visibilityChanged, .shownChanged, .redrawNeeded, .pointer: break
        }
    }

    /// Returns whether a text is valid for ``Options/geometry``.
    nonisolated public static func isGeometry(_ text: String) -> Bool { WindowGeometry(parsing: text) != nil }

    /// Shows a line of text at the lower edge, if the output can draw text.
    ///
    /// - Parameter text: The text; nil removes it.
    public func showMessage(_ text: String?) { output?.showMessage(text) }

    private var terminalMode: TerminalMode {
        switch options.terminal {
        case .automatic: .automatic
        case .symbols: .symbols
        case .sixel: .sixel
        case .kitty: .kitty
        }
    }

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

    /// Whether the window fills the screen. Setting it asks the window manager.
    public var isFullScreen: Bool {
        get { canvas?.isFullScreen ?? options.isFullScreen }
        set {
            options.isFullScreen = newValue
            canvas?.setFullScreen(newValue)
        }
    }

    /// Shows the window and asks the window manager to focus it.
    public func activate() { canvas?.activate() }

    /// Hides the window. It stays open; ``activate()`` shows it again.
    public func hide() { canvas?.hide() }

    /// The output for controls; nil while the window is not open, and for outputs without a pointer.
    package var canvas: (any WindowOutput)? { output?.windowOutput }

    /// Closes the window. Playback continues.
    public func close() {
        openings += 1
        router.setOutput(nil)
        output?.close()
        output = nil
        layer?.setFullScreen(false)
        ProgramPresence.shared.setWindow(ObjectIdentifier(self), isShown: nil)
    }
}
