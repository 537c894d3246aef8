import Dispatch
import Glibc
import SharedFrames
import SwiftPlay
import SystemCalls
import VideoOutput

/// A window (or terminal, or nothing) that a player layer is seen in. Main queue only.
///
/// It opens by itself when the first picture is there, in that picture's size, and goes with its last reference.
@MainActor
public final class PlayerWindow {
    /// Where pictures are drawn: `--vo`.
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
        /// The kitty protocol where the terminal answers to it, else characters.
        case automatic
        /// Unicode characters in 24-bit color.
        case symbols
        /// Sixel graphics.
        case sixel
        /// The kitty graphics protocol.
        case kitty
    }

    /// How pictures come on an X11 screen: mpv's `--x11-present`.
    public enum X11Present: String, Sendable, CaseIterable {
        /// Between two refreshes, so that none is torn, where the screen has refreshes; at once on a virtual screen.
        case auto
        /// Always between two refreshes.
        case yes
        /// Without the X Present extension, and without its word of when a picture was seen.
        case no
    }

    /// How a window looks when it opens.
    public struct Options: Sendable {
        /// Where pictures are drawn.
        public var kind = Kind.x11
        /// The title of the window.
        public var title = "SwiftPlay"
        /// `[W[xH]][+x+y]`, as mpv's `--geometry`.
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

    /// Something the user did.
    public enum Event: Sendable, Equatable {
        /// A key by mpv's name.
        case key(String)
        /// The user asked to close the window. The window stays open until the program closes it.
        case closeRequested
        /// The window entered full screen (true) or left it.
        case fullScreenChanged(Bool)
        /// Something cannot be shown, in a line for a log; told once, and the window goes on.
        case trouble(String)
        /// The display is gone for good.
        case lost(String)
    }

    /// nil for pictures that the program makes itself.
    public let layer: PlayerLayer?
    private let router: FrameRouter
    var options: Options
    var output: (any VideoOutput)?
    /// Made while the file is still being opened; the window takes it over.
    let connection = Monitor<XConnection?>(nil)
    var observation: Player.Observation?
    /// Connects to the display server and makes the window there: that may take as long as the server likes.
    let opener = DispatchQueue(label: "window opening")
    /// Counts what a window that is being made must not come after.
    var openings = 0
    /// The value of ``openings`` for which a window is being made.
    var openingNumber: Int?
    /// Called on the main queue.
    public var onEvent: ((Event) -> Void)?
    /// Called when the window could not be opened.
    public var onFailure: ((PlaybackError) -> Void)?
    /// Hears what the output tells before it becomes an event; true: there is nothing more to be done about it.
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

    /// For pictures that the program makes itself. ``open(pictureWidth:pictureHeight:)`` opens it.
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

    /// Opens now, for a picture of the given size, if it is not open yet. Waits for the display server, or the
    /// terminal; ``openAutomatically(for:)`` does not.
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

    /// Takes what an output reports, on any thread.
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

    /// Prepares a window under X11. The result may be called on any thread, and waits for the display server there.
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

    /// Shows the layer in the output that has just been made.
    func opened() {
        let name = ObjectIdentifier(self)
        openings += 1
        connection.withLock { $0 = nil }
        if let canvas { Self.displays.withLock { $0 = $0.filter { $0.window != nil } + [Display(window: canvas)] } }
        if options.kind == .x11 { ProgramPresence.shared.setWindow(name, isShown: true) }
        layer?.setFullScreen(options.isFullScreen)
        router.setOutput(output)
        // There may be a corner for Picture-in-Picture now.
        if options.kind == .terminal { layer?.itemChanged() }
        onOpen?()
    }

    private struct Display: Sendable { weak var window: (any WindowOutput)? }
    nonisolated private static let displays = Monitor<[Display]>([])

    /// Ends all windows' connections to their display servers after `patience`, for a program that exits: nothing waits
    /// then for a server that does not answer. Any thread; returns at once.
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

    /// Is `text` what ``Options/geometry`` takes?
    nonisolated public static func isGeometry(_ text: String) -> Bool { WindowGeometry(parsing: text) != nil }

    /// A line for the user, over the lower edge where the output can draw text; nil takes it away.
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

    /// Brings the window before the user.
    public func activate() { canvas?.activate() }

    /// Takes the window off the screen. It stays open, and ``activate()`` brings it back.
    public func hide() { canvas?.hide() }

    /// Where controls can be drawn; nil while it is not open, and where there is no pointer to use them.
    package var canvas: (any WindowOutput)? { output?.windowOutput }

    /// Closes the window. The player plays on.
    public func close() {
        openings += 1
        router.setOutput(nil)
        output?.close()
        output = nil
        layer?.setFullScreen(false)
        ProgramPresence.shared.setWindow(ObjectIdentifier(self), isShown: nil)
    }
}
