import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

extension PlayerWindow {
    /// Opens the window when the player knows the size of its video, and thus in black, shortly before the first frame.
    /// A terminal opens with the first frame. Does not block: a background queue connects to the display server and
    /// creates the window.
    ///
    /// - Parameter player: The player of the layer.
    public func openAutomatically(for player: Player) {
        if options.kind == .x11, output == nil {
            openingQueue.async { [connection] in
                // An error of this early connection is ignored: opening the window connects again and reports the
                // error.
                guard let newConnection = try? XConnection() else { return }
                connection.withLock { $0 = newConnection }
            }
        }
        observation = player.observe { [weak self, weak player] notification in
            switch notification {
            case .firstFrameShown(let item): self?.showItem(item)
            case .presentationSizeDidChange(let item):
                self?.handleSizeChange(of: item, isCurrent: player?.currentItem === item)
            default: break
            }
        }
    }

    /// Opens the window for the item whose first frame is on screen, or adapts the open window to it.
    private func showItem(_ item: PlayerItem) {
        guard let fittedPicture, fittedPicture.item === item else { return openAsynchronously(for: item) }
        // The window was opened for this item, in the size that the file states. The decoder may have corrected it.
        guard fittedPicture.size != item.presentationSize else { return }
        self.fittedPicture?.size = item.presentationSize
        adaptSize(to: item)
    }

    /// Opens the window when the size of the current item's video becomes known, or adapts an open window to another
    /// aspect ratio.
    private func handleSizeChange(of item: PlayerItem, isCurrent: Bool) {
        let isOpen = output != nil || pendingOpeningNumber == openingNumber
        guard !isOpen, isCurrent, options.kind == .x11 else { return adaptToChangedAspectRatio() }
        openAsynchronously(for: item)
    }

    /// Opens the window in the size of the item's video. An X11 window is created on ``openingQueue``, so that the main
    /// queue does not wait for the X server.
    private func openAsynchronously(for item: PlayerItem) {
        fittedPicture = FittedPicture(item: item, size: item.presentationSize)
        let size = item.presentationSize
        do {
            guard options.kind == .x11 else { return try open(pictureWidth: size.width, pictureHeight: size.height) }
            // Do not create a second window if another item starts while a slow X server is still creating the first
            // window.
            guard output == nil else { return adaptSize(to: item) }
            guard pendingOpeningNumber != openingNumber else { return }
            let createWindow = try makeX11Window(size.width, size.height, eventHandler())
            openingNumber += 1
            pendingOpeningNumber = openingNumber
            let number = openingNumber, owner = WeakReference(self), isFullScreen = options.isFullScreen
            openingQueue.async { [openingQueue] in
                do throws(PlaybackError) {
                    let newOutput = try createWindow()
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated {
                            owner.installOutput(newOutput, number, isFullScreen: isFullScreen, openingQueue)
                        }
                    }
                } catch {
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated { owner.window?.handleOpeningFailure(error, number) }
                    }
                }
            }
        } catch let error as PlaybackError {
            onFailure?(error)
        } catch { onFailure?(PlaybackError(.output, "\(error)")) }
    }

    /// Reports that the window could not be opened, unless the program has opened or closed it in the meantime.
    /// `number` is the ``openingNumber`` of the failed opening.
    private func handleOpeningFailure(_ error: PlaybackError, _ number: Int) {
        guard openingNumber == number else { return }
        pendingOpeningNumber = nil
        onFailure?(error)
    }

    /// Installs an output whose window was created on ``openingQueue``, unless the program has opened or closed the
    /// window in the meantime.
    ///
    /// - Parameters:
    ///   - newOutput: The output with the new window.
    ///   - number: The ``openingNumber`` for which the window was created.
    ///   - isFullScreen: Whether the window was created in full screen.
    /// - Returns: False if the new output is not needed any more.
    fileprivate func installOutput(_ newOutput: any VideoOutput, _ number: Int, isFullScreen: Bool) -> Bool {
        guard openingNumber == number, output == nil else { return false }
        output = newOutput
        // Apply the changes that the program made while the window was being created. Do not set full screen otherwise:
        // the window manager may have changed it already.
        newOutput.setTitle(options.title)
        if options.isFullScreen != isFullScreen { newOutput.windowOutput?.setFullScreen(options.isFullScreen) }
        finishOpening()
        return true
    }
}

extension PlayerWindow.WeakReference {
    /// Installs a new output, or closes it if it is not needed any more.
    ///
    /// - Parameters:
    ///   - newOutput: The output with the new window.
    ///   - number: The ``PlayerWindow/openingNumber`` for which the window was created.
    ///   - isFullScreen: Whether the window was created in full screen.
    ///   - openingQueue: The queue that closes the output, because closing may wait for the display server.
    fileprivate func installOutput(
        _ newOutput: any VideoOutput, _ number: Int, isFullScreen: Bool, _ openingQueue: DispatchQueue
    ) {
        if window?.installOutput(newOutput, number, isFullScreen: isFullScreen) != true {
            openingQueue.async { newOutput.close() }
        }
    }
}
