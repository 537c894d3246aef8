import SwiftPlay
import VideoOutput

extension PlayerWindow {
    /// The kind of output that shows the pictures (mpv's `--vo`).
    public enum Kind: String, Sendable, CaseIterable {
        /// A window of an X11 display.
        case x11
        /// The terminal of the process.
        case terminal
        /// No video output.
        case null
    }

    /// The technique with which a terminal draws pictures.
    public enum TerminalGraphics: String, Sendable, CaseIterable {
        /// The kitty graphics protocol or sixel graphics if the terminal supports them, otherwise Unicode characters.
        case automatic
        /// Unicode characters in the colours that the terminal supports.
        case symbols
        /// Half blocks in 24-bit colour (mpv's `--vo=tct`).
        case halfBlocks
        /// Half blocks in 256 colours (mpv's `--vo-tct-256`).
        case halfBlocks256
        /// Sixel graphics.
        case sixel
        /// The kitty graphics protocol.
        case kitty
    }

    /// The use of the X Present extension (mpv's `--x11-present`).
    public enum X11Present: String, Sendable, CaseIterable {
        /// X Present is used on screens with a refresh rate, so that no picture tears, but not on virtual screens.
        case auto
        /// X Present is always used.
        case yes
        /// X Present is never used. The times at which pictures appear are then unknown.
        case no
    }

    /// The monitor that a window fills in full screen (mpv's `--fs-screen`).
    public enum FullScreenMonitor: Hashable, Sendable {
        /// The monitor on which the window lies.
        case current
        /// All monitors together.
        case all
        /// The monitor with this index: 0 is the primary monitor. If there is no such monitor, the same as ``current``.
        case index(Int)
    }

    /// The kind of output and the appearance of a window when it opens.
    public struct Options: Sendable {
        /// The kind of output that shows the pictures.
        public var kind = Kind.x11
        /// The title of the window.
        public var title = "SwiftPlay"
        /// The size and position, as `[W[xH]][+x+y]` (mpv's `--geometry`); nil for the video's size, placed anywhere.
        public var geometry: String?
        /// The size into which a new window is fitted, as `[W[xH]]` in pixels or percentages of the screen (mpv's
        /// `--autofit`); nil for no such limit.
        public var autofit: String?
        /// The size to which a larger window is reduced, in the format of ``autofit`` (mpv's `--autofit-larger`).
        public var autofitLarger: String?
        /// The size to which a smaller window is enlarged, in the format of ``autofit`` (mpv's `--autofit-smaller`).
        public var autofitSmaller: String?
        /// The size of the window relative to the video (mpv's `--window-scale`).
        public var scale = 1.0
        /// Whether the window is larger on a display of high resolution, by the factor `Xft.dpi` / 96 (mpv's
        /// `--hidpi-window-scale`).
        public var appliesDisplayScale = true
        /// Whether the size of the window follows the video size of each new item (mpv's `--auto-window-resize`).
        public var resizesForNewItems = true
        /// Whether the window keeps its aspect ratio while the user resizes it (mpv's `--keepaspect-window`).
        public var keepsAspectRatio = true
        /// Whether the user can move the window by dragging the picture (mpv's `--window-dragging`).
        public var isDraggable = true
        /// The index of the monitor on which the window opens (mpv's `--screen`): 0 is the primary monitor. Nil leaves
        /// the choice to the window manager.
        public var monitorIndex: Int?
        /// The monitor that the window fills in full screen.
        public var fullScreenMonitor = FullScreenMonitor.current
        /// Whether the window opens in full screen.
        public var isFullScreen = false
        /// Whether the window stays above other windows (mpv's `--ontop`).
        public var isOnTop = false
        /// Whether the window has a title bar and a frame (mpv's `--border`).
        public var hasBorder = true
        /// Whether the window opens minimized (mpv's `--window-minimized`).
        public var isMinimized = false
        /// Whether the window opens maximized (mpv's `--window-maximized`).
        public var isMaximized = false
        /// The X11 window of another program, or of another toolkit in this program, in which the pictures are shown
        /// (mpv's `--wid`); nil for a window of its own.
        public var parent: UInt32?
        /// The technique with which a terminal draws pictures.
        public var terminal = TerminalGraphics.automatic
        /// The use of the X Present extension.
        public var x11Present = X11Present.auto
        /// Creates the default options.
        public init() {}
    }

    /// Returns whether a text is valid for ``Options/geometry``.
    nonisolated public static func isGeometry(_ text: String) -> Bool { WindowGeometry(parsing: text) != nil }

    /// Returns whether a text is valid for ``Options/autofit``, ``Options/autofitLarger`` and
    /// ``Options/autofitSmaller``.
    nonisolated public static func isAutofitSize(_ text: String) -> Bool { autofitSize(text) != nil }

    /// Parses a size in the format `[W[xH]]`; nil if the text does not follow it or contains a position.
    nonisolated static func autofitSize(_ text: String) -> WindowGeometry? {
        WindowGeometry(parsing: text).flatMap { $0.hasPosition ? nil : $0 }
    }
}

extension PlayerWindow.FullScreenMonitor {
    /// The monitor for an X11 window.
    var x11: FullScreenTarget {
        switch self {
        case .current: .current
        case .all: .all
        case .index(let index): .index(index)
        }
    }
}

extension PlayerWindow.Options {
    /// The options of an X11 window.
    ///
    /// - Throws: `PlaybackError` with the code `output` if a text is not a geometry or size.
    func makeX11Options() throws(PlaybackError) -> X11Output.Options {
        var x11 = X11Output.Options()
        x11.title = title
        x11.drawPlaceholder = PlaceholderPainter.draw
        x11.presentMode = XPresentMode(rawValue: x11Present.rawValue) ?? .auto
        (x11.isFullScreen, x11.isOnTop, x11.hasDecorations) = (isFullScreen, isOnTop, hasBorder)
        (x11.isMinimised, x11.isMaximised) = (isMinimized, isMaximized)
        (x11.parent, x11.monitorIndex, x11.keepsAspectRatio) = (parent, monitorIndex, keepsAspectRatio)
        x11.fullScreenMonitor = fullScreenMonitor.x11
        x11.sizing.scale = scale
        x11.sizing.appliesDisplayScale = appliesDisplayScale
        if let text = geometry {
            guard let geometry = WindowGeometry(parsing: text) else {
                throw PlaybackError(
                    .output, "'\(text)' is not a geometry; use [W[xH]][+x+y], such as 640x360+10+10 or 50%")
            }
            x11.sizing.geometry = geometry
        }
        x11.sizing.fittedSize = try Self.size(autofit)
        x11.sizing.largestSize = try Self.size(autofitLarger)
        x11.sizing.smallestSize = try Self.size(autofitSmaller)
        return x11
    }

    /// Parses the text of a size; nil for nil.
    private static func size(_ text: String?) throws(PlaybackError) -> WindowGeometry? {
        guard let text else { return nil }
        guard let size = PlayerWindow.autofitSize(text) else {
            throw PlaybackError(.output, "'\(text)' is not a size; use W, WxH or xH, such as 70% or 1280x720")
        }
        return size
    }
}
