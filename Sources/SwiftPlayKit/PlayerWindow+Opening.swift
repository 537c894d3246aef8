import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

extension PlayerWindow {
    /// Opens the window when a player shows its first frame. Does not block: a background queue connects to the display
    /// server and creates the window.
    ///
    /// - Parameter player: The player of the layer.
    public func openAutomatically(for player: Player) {
        if options.kind == .x11, output == nil {
            openingQueue.async { [connection] in
                // An error of this early connection is ignored: opening the window connects again and reports the
                // error.
                guard let created = try? XConnection() else { return }
                connection.withLock { $0 = created }
            }
        }
        observation = player.observe { [weak self] notification in
            guard case .firstFrameShown(let item) = notification else { return }
            self?.openAsynchronously(for: item)
        }
    }

    /// Opens the window in the size of the item's video. An X11 window is created on ``openingQueue``, so that the main
    /// queue does not wait for the X server.
    private func openAsynchronously(for item: PlayerItem) {
        let size = item.presentationSize
        do {
            guard options.kind == .x11 else { return try open(pictureWidth: size.width, pictureHeight: size.height) }
            // Do not create a second window if another item starts while a slow X server is still creating the first
            // window.
            guard output == nil, pendingOpeningGeneration != openingGeneration else { return }
            let make = try makeX11Window(size.width, size.height, eventHandler())
            openingGeneration += 1
            pendingOpeningGeneration = openingGeneration
            let number = openingGeneration, owner = WeakReference(self), isFullScreen = options.isFullScreen
            openingQueue.async { [openingQueue] in
                do throws(PlaybackError) {
                    let created = try make()
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated {
                            owner.installOutput(created, number, isFullScreen: isFullScreen, openingQueue)
                        }
                    }
                } catch {
                    DispatchQueue.main.async { MainActor.assumeIsolated { owner.window?.openingFailed(error, number) } }
                }
            }
        } catch let error as PlaybackError {
            onFailure?(error)
        } catch { onFailure?(PlaybackError(.output, "\(error)")) }
    }

    /// Reports that the window could not be opened, unless the program has opened or closed it in the meantime.
    /// `number` is the ``openingGeneration`` of the failed opening.
    private func openingFailed(_ error: PlaybackError, _ number: Int) {
        guard openingGeneration == number else { return }
        pendingOpeningGeneration = nil
        onFailure?(error)
    }

    /// Installs an output whose window was created on ``openingQueue``, unless the program has opened or closed the
    /// window in the meantime.
    ///
    /// - Parameters:
    ///   - created: The output with the new window.
    ///   - number: The ``openingGeneration`` for which the window was created.
    ///   - isFullScreen: Whether the window was created in full screen.
    /// - Returns: False if the new output is not needed any more.
    fileprivate func installOutput(_ created: any VideoOutput, _ number: Int, isFullScreen: Bool) -> Bool {
        guard openingGeneration == number, output == nil else { return false }
        output = created
        // Apply the changes that the program made while the window was being created. Do not set full screen otherwise:
        // the window manager may have changed it already.
        created.setTitle(options.title)
        if options.isFullScreen != isFullScreen { created.windowOutput?.setFullScreen(options.isFullScreen) }
        finishOpening()
        return true
    }
}

extension PlayerWindow.WeakReference {
    /// Installs a new output, or closes it if it is not needed any more.
    ///
    /// - Parameters:
    ///   - created: The output with the new window.
    ///   - number: The ``PlayerWindow/openingGeneration`` for which the window was created.
    ///   - isFullScreen: Whether the window was created in full screen.
    ///   - openingQueue: The queue that closes the output, because closing may wait for the display server.
    fileprivate func installOutput(
        _ created: any VideoOutput, _ number: Int, isFullScreen: Bool, _ openingQueue: DispatchQueue
    ) {
        if window?.installOutput(created, number, isFullScreen: isFullScreen) != true {
            openingQueue.async { created.close() }
        }
    }
}
