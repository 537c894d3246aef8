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
        case x11, terminal, null
    }

    /// How a terminal draws pictures.
    public enum TerminalGraphics: String, Sendable, CaseIterable {
        /// The kitty protocol where the terminal answers to it, else characters.
        case automatic
        case symbols, sixel, kitty
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

    public struct Options: Sendable {
        public var kind = Kind.x11
        public var title = "SwiftPlay"
        /// `[W[xH]][+x+y]`, as mpv's `--geometry`.
        public var geometry: String?
        public var isFullScreen = false
        public var terminal = TerminalGraphics.automatic
        public var x11Present = X11Present.auto
        public init() {}
    }

    /// Something the user did.
    public enum Event: Sendable, Equatable {
        /// A key by mpv's name.
        case key(String)
        case closeRequested
        case fullScreenChanged(Bool)
        /// Something cannot be shown, in a line for a log; told once, and the window goes on.
        case trouble(String)
        /// The display is gone for good.
        case lost(String)
    }

    /// nil for pictures that the program makes itself.
    public let layer: PlayerLayer?
    private let router: FrameRouter
    private var options: Options
    private var output: (any VideoOutput)?
    /// Made while the file is still being opened; the window takes it over.
    private var connection: XConnection?
    private var observation: Player.Observation?
    /// Called on the main queue.
    public var onEvent: ((Event) -> Void)?
    /// Called when the window could not be opened.
    public var onFailure: ((PlaybackError) -> Void)?
    /// Hears what the output tells before it becomes an event; true: there is nothing more to be done about it.
    package var onOutput: ((OutputEvent) -> Bool)?
    package var onOpen: (() -> Void)?

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

    /// Opens now, for a picture of the given size, if it is not open yet.
    public func open(pictureWidth: Int, pictureHeight: Int) throws {
        guard output == nil else { return }
        let relay = Relay(self)
        let funnel = EventFunnel { relay.window?.handle($0) }
        let name = ObjectIdentifier(self)
        let handler: @Sendable (OutputEvent) -> Void = { [router, layer] event in
            switch event {
            case .redrawNeeded: router.redraw()
            case .visibilityChanged(let isVisible): layer?.setOnScreen(isVisible)
            case .shownChanged(let isShown): ProgramPresence.shared.setWindow(name, isShown: isShown)
            default: funnel.pour(event)
            }
        }
        switch options.kind {
        case .null: output = HeadlessOutput()
        case .terminal:
            do {
                TerminalSignals.installCrashHandlers()
                let made = try TerminalOutput(terminal: try TerminalSession(share: .standard), mode: terminalMode, onEvent: handler)
                made.setTitle(options.title)
                output = made
            } catch { throw PlaybackError(.output, "the terminal cannot be used: \(error)") }
        case .x11:
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
            do throws(XError) {
                let display = if let connection { connection } else { try XConnection() }
                output = try X11Output(
                    connection: display, pictureSize: PixelSize(width: max(pictureWidth, 1), height: max(pictureHeight, 1)), options: x11, onEvent: handler)
            } catch { throw PlaybackError(.output, error.description) }
        }
        connection = nil
        if let canvas { Self.displays.withLock { $0 = $0.filter { $0.connection != nil } + [Display(connection: canvas.connection)] } }
        if options.kind == .x11 { ProgramPresence.shared.setWindow(name, isShown: true) }
        router.setOutput(output)
        // There may be a corner for Picture-in-Picture now.
        if options.kind == .terminal { layer?.itemChanged() }
        onOpen?()
    }

    private struct Display: Sendable { weak var connection: XConnection? }
    nonisolated private static let displays = Monitor<[Display]>([])

    /// Ends all windows' connections to their display servers after `patience`, for a program that exits: nothing waits then for a
    /// server that does not answer. Any thread; returns at once.
    nonisolated package static func disconnectDisplays(after patience: DispatchTimeInterval) {
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + patience) {
            for display in displays.withLock({ $0 }) { display.connection?.disconnect() }
        }
    }

    @MainActor private final class Relay: Sendable {
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

    public var isOpen: Bool { output != nil }

    public var title: String {
        get { options.title }
        set {
            options.title = newValue
            (output as? X11Output)?.setTitle(newValue)
            (output as? TerminalOutput)?.setTitle(newValue)
        }
    }

    public var isFullScreen: Bool {
        get { (output as? X11Output)?.isFullScreen ?? options.isFullScreen }
        set {
            options.isFullScreen = newValue
            (output as? X11Output)?.setFullScreen(newValue)
        }
    }

    /// Brings the window before the user.
    public func activate() { (output as? X11Output)?.activate() }

    /// Takes the window off the screen. It stays open, and ``activate()`` brings it back.
    public func hide() { (output as? X11Output)?.hide() }

    /// Where controls can be drawn; nil while it is not open, and where there is no pointer to use them.
    package var canvas: X11Output? { output as? X11Output }

    /// Opens when `player` shows its first picture.
    public func openAutomatically(for player: Player) {
        if options.kind == .x11 { connection = try? XConnection() }
        observation = player.observe { [weak self] notification in
            guard case .firstFrameShown(let item) = notification else { return }
            guard let self else { return }
            do {
                let size = item.presentationSize
                try open(pictureWidth: size.width, pictureHeight: size.height)
            } catch let error as PlaybackError {
                onFailure?(error)
            } catch { onFailure?(PlaybackError(.output, "\(error)")) }
        }
    }

    /// Closes the window. The player plays on.
    public func close() {
        router.setOutput(nil)
        output?.close()
        output = nil
        ProgramPresence.shared.setWindow(ObjectIdentifier(self), isShown: nil)
    }
}
