import SharedFrames
import SwiftPlay
import VideoOutput

/// The states of the window that the window manager controls. Setting them has no effect in a terminal and in a window
/// of another program.
extension PlayerWindow {
    /// Whether the window fills the screen. Setting it sends a request to the window manager.
    public var isFullScreen: Bool {
        get { windowOutput?.isFullScreen ?? options.isFullScreen }
        set {
            options.isFullScreen = newValue
            windowOutput?.setFullScreen(newValue)
        }
    }

    /// The monitor that the window fills from the next time it becomes full screen.
    public var fullScreenMonitor: FullScreenMonitor {
        get { options.fullScreenMonitor }
        set {
            options.fullScreenMonitor = newValue
            windowOutput?.setFullScreenMonitor(newValue.x11)
        }
    }

    /// Shows the window and requests the focus from the window manager.
    public func activate() { windowOutput?.activate() }

    /// Hides the window without closing it; ``activate()`` shows it again.
    public func hide() { windowOutput?.hide() }

    /// Whether the window lies in a window of another program: see ``Options/parent``.
    public var isEmbedded: Bool { options.parent != nil && options.kind == .x11 }

    /// Whether the window manager keeps the window above other windows.
    public var isOnTop: Bool {
        get { options.isOnTop }
        set {
            options.isOnTop = newValue
            windowOutput?.setOnTop(newValue)
        }
    }

    /// Whether the window has a title bar and a frame.
    public var hasBorder: Bool {
        get { options.hasBorder }
        set {
            options.hasBorder = newValue
            windowOutput?.setDecorated(newValue)
        }
    }

    /// The size of the window relative to the video, as it was last set. Setting it resizes the window, or later a
    /// maximized or full-screen window.
    public var scale: Double {
        get { options.scale }
        set {
            guard newValue.isFinite, newValue > 0 else { return }
            options.scale = newValue
            windowOutput?.setScale(newValue)
        }
    }

    /// The current size of the window relative to the video; nil while no window is open or the video has no size.
    public var currentScale: Double? {
        guard let windowOutput, let video = layer?.player?.currentItem?.presentationSize, video.width > 0,
            video.height > 0
        else { return nil }
        let factor = options.appliesDisplayScale ? windowOutput.displayScale : 1, size = windowOutput.size
        return min(Double(size.width) / Double(video.width), Double(size.height) / Double(video.height)) / factor
    }

    /// Whether the size of the window follows the video size of each new item.
    public var resizesForNewItems: Bool {
        get { options.resizesForNewItems }
        set { options.resizesForNewItems = newValue }
    }

    /// Maximizes the window, or restores its size.
    ///
    /// - Parameter isMaximized: Whether the window is maximized.
    public func setMaximized(_ isMaximized: Bool) {
        options.isMaximized = isMaximized
        windowOutput?.setMaximised(isMaximized)
    }

    /// Minimizes the window. ``activate()`` restores it.
    public func minimize() { windowOutput?.minimise() }

    /// The item on screen, and the size of its picture for which the window was opened or adapted last.
    struct FittedPicture {
        weak var item: PlayerItem?
        var size: VideoSize
    }

    /// Adapts the size of the open window if the aspect ratio of the item on screen has changed, for example because
    /// the user rotates the picture. Other changes of the size, such as another variant of a stream, have no effect.
    func adaptToChangedAspectRatio() {
        guard output != nil, let fitted = fittedPicture, let item = fitted.item else { return }
        let size = item.presentationSize
        // Rounding can change the aspect ratio by up to 1 % when only the size changes.
        let (newProduct, oldProduct) = (size.width * fitted.size.height, fitted.size.width * size.height)
        guard abs(newProduct - oldProduct) > oldProduct / 100 else { return }
        fittedPicture?.size = size
        adaptSize(to: item)
    }

    /// Adapts the size of the open window to the video of an item.
    func adaptSize(to item: PlayerItem) {
        let size = item.presentationSize
        guard options.resizesForNewItems, size.width > 0, size.height > 0 else { return }
        windowOutput?.adaptSize(to: PixelSize(width: size.width, height: size.height))
    }
}
