import ArgumentParser
import SharedFrames
import SwiftPlayKit

/// The command line options for the window. Names and meanings are mpv's.
struct WindowOptions: ParsableArguments {
    @Flag(help: "Begin in Picture-in-Picture.")
    var pip = false

    @Flag(name: [.customLong("fullscreen"), .customLong("fs")], inversion: .prefixedNo, help: "Fill the screen.")
    var fullscreen = false

    @Option(help: ArgumentHelp("Title of the window.", valueName: "text"))
    var title: String?

    @Option(
        help: ArgumentHelp(
            "Size and position of the window: [W[xH]][+x+y], numbers or percentages.", valueName: "geometry"))
    var geometry: String?

    @Option(
        help: ArgumentHelp(
            "Fit the window into this size at the aspect ratio of the video: W, WxH, numbers or percentages.",
            valueName: "size"))
    var autofit: String?

    @Option(help: ArgumentHelp("Reduce a window that is larger than this size.", valueName: "size"))
    var autofitLarger: String?

    @Option(help: ArgumentHelp("Enlarge a window that is smaller than this size.", valueName: "size"))
    var autofitSmaller: String?

    @Flag(inversion: .prefixedNo, help: "Give the window the size of each next file.")
    var autoWindowResize = true

    @Option(help: ArgumentHelp("Size of the window relative to the video.", valueName: "factor"))
    var windowScale = 1.0

    @Flag(inversion: .prefixedNo, help: "Enlarge the window on a display of high resolution (Xft.dpi).")
    var hidpiWindowScale = true

    @Flag(inversion: .prefixedNo, help: "Keep the aspect ratio of the window while it is resized.")
    var keepaspectWindow = true

    @Flag(inversion: .prefixedNo, help: "Move the window by dragging the picture.")
    var windowDragging = true

    @Option(help: ArgumentHelp("Monitor for the window: default, or a number from 0.", valueName: "default|number"))
    var screen = "default"

    @Option(
        help: ArgumentHelp(
            "Monitor for full screen: current, all, or a number from 0.", valueName: "current|all|number"))
    var fsScreen = "current"

    @Flag(inversion: .prefixedNo, help: "Keep the window above other windows.")
    var ontop = false

    @Flag(inversion: .prefixedNo, help: "Draw a title bar and a frame around the window.")
    var border = true

    @Flag(inversion: .prefixedNo, help: "Open the window minimized.")
    var windowMinimized = false

    @Flag(inversion: .prefixedNo, help: "Open the window maximized.")
    var windowMaximized = false

    @Option(help: ArgumentHelp("Play in this X11 window of another program.", valueName: "ID"))
    var wid: String?

    @Flag(inversion: .prefixedNo, help: "Show controls over the picture in a window.")
    var osc = true

    @Flag(inversion: .prefixedNo, help: "Prevent the screensaver while video plays in a window.")
    var stopScreensaver = true

    @Option(
        help: ArgumentHelp(
            "Open a window also for audio and while idle: yes, no or immediate (the same as yes).",
            valueName: "yes|no|immediate"))
    var forceWindow = "no"

    /// The names of the options that are only on or off.
    static let flagNames: Set<String> = [
        "auto-window-resize", "hidpi-window-scale", "keepaspect-window", "window-dragging", "ontop", "border",
        "window-minimized", "window-maximized",
    ]

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        if let geometry, !PlayerWindow.isGeometry(geometry) {
            throw ValidationError("--geometry=\(geometry) is not a geometry; use 640x360+10+10 or 50%.")
        }
        guard ["yes", "no", "immediate"].contains(forceWindow) else {
            throw ValidationError("--force-window takes yes, no or immediate.")
        }
        let sizes = [("autofit", autofit), ("autofit-larger", autofitLarger), ("autofit-smaller", autofitSmaller)]
        for (name, value) in sizes {
            if let value, !PlayerWindow.isAutofitSize(value) {
                throw ValidationError("--\(name)=\(value) is not a size; use 70%, 1280x720 or x720.")
            }
        }
        guard windowScale.isFinite, windowScale > 0, windowScale <= 100 else {
            throw ValidationError("--window-scale takes a number above 0, at most 100.")
        }
        guard screen == "default" || Int(screen).map((0...32).contains) == true else {
            throw ValidationError("--screen takes default or a number from 0 to 32.")
        }
        guard Self.fullScreenMonitor(fsScreen) != nil else {
            throw ValidationError("--fs-screen takes current, all or a number from 0 to 32.")
        }
        if let wid, wid != "-1", Self.windowID(wid) == nil {
            throw ValidationError("--wid=\(wid) is not a window; use its number, as xwininfo shows it.")
        }
    }

    /// Parses the ID of an X11 window, a decimal or hexadecimal number (`0x…`) above 0; nil for other texts.
    static func windowID(_ text: String) -> UInt32? {
        let number = text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
        return number == 0 ? nil : number
    }

    /// Parses the value of `--fs-screen`; nil for an invalid one.
    static func fullScreenMonitor(_ text: String) -> PlayerWindow.FullScreenMonitor? {
        switch text {
        case "current": .current
        case "all": .all
        default: Int(text).flatMap { (0...32).contains($0) ? .index($0) : nil }
        }
    }

    /// The settings that the options describe. The options must be valid.
    var settings: WindowSettings {
        WindowSettings(
            autofit: autofit, autofitLarger: autofitLarger, autofitSmaller: autofitSmaller,
            resizesForNextFile: autoWindowResize, scale: windowScale, appliesDisplayScale: hidpiWindowScale,
            keepsAspectRatio: keepaspectWindow, isDraggable: windowDragging, monitorIndex: Int(screen),
            fullScreenMonitor: Self.fullScreenMonitor(fsScreen) ?? .current, isOnTop: ontop,
            hasBorder: border, isMinimized: windowMinimized, isMaximized: windowMaximized,
            parent: wid.flatMap(Self.windowID))
    }
}

/// The settings of the window that result from the command line.
struct WindowSettings: Sendable, Equatable {
    /// The values of `--autofit`, `--autofit-larger` and `--autofit-smaller`; nil without the option.
    var autofit, autofitLarger, autofitSmaller: String?
    /// Whether the window gets the size of each next file.
    var resizesForNextFile = true
    /// The size of the window relative to the video.
    var scale = 1.0
    /// Whether the window is larger on a display of high resolution.
    var appliesDisplayScale = true
    /// Whether the window keeps its aspect ratio while it is resized.
    var keepsAspectRatio = true
    /// Whether dragging the picture moves the window.
    var isDraggable = true
    /// The index of the monitor for the window; nil for the window manager's choice.
    var monitorIndex: Int?
    /// The monitor that the window fills in full screen.
    var fullScreenMonitor = PlayerWindow.FullScreenMonitor.current
    /// Whether the window stays above others.
    var isOnTop = false
    /// Whether the window has a title bar and a frame.
    var hasBorder = true
    var isMinimized = false
    var isMaximized = false
    /// The window of another program in which the file is played; nil for a window of its own.
    var parent: UInt32?
    /// The rotation and the aspect ratio of the picture in the window, which a terminal shows as well.
    var pictureTransform = PictureTransform()

    /// Applies the settings to the options of a window.
    func apply(to options: inout PlayerWindow.Options) {
        (options.autofit, options.autofitLarger, options.autofitSmaller) = (autofit, autofitLarger, autofitSmaller)
        (options.resizesForNewItems, options.scale) = (resizesForNextFile, scale)
        (options.appliesDisplayScale, options.keepsAspectRatio) = (appliesDisplayScale, keepsAspectRatio)
        (options.isDraggable, options.monitorIndex) = (isDraggable, monitorIndex)
        (options.isOnTop, options.hasBorder) = (isOnTop, hasBorder)
        options.fullScreenMonitor = fullScreenMonitor
        (options.isMinimized, options.isMaximized, options.parent) = (isMinimized, isMaximized, parent)
    }
}
