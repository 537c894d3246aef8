import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

extension PlayerWindow {
    /// Opens the window when a player shows its first picture. Does not block: the connection and the window are
    /// created on a queue of their own.
    ///
    /// - Parameter player: The player of the layer.
    public func openAutomatically(for player: Player) {
        if options.kind == .x11, output == nil {
            opener.async { [connection] in
                // If this fails, opening the window reports the error.
                guard let made = try? XConnection() else { return }
                connection.withLock { $0 = made }
            }
        }
        observation = player.observe { [weak self] notification in
            guard case .firstFrameShown(let item) = notification else { return }
            self?.openInBackground(for: item)
        }
    }

    private func openInBackground(for item: PlayerItem) {
        let size = item.presentationSize
        do {
            guard options.kind == .x11 else { return try open(pictureWidth: size.width, pictureHeight: size.height) }
            // A slow display receives one window, even if several items start meanwhile.
            guard output == nil, openingNumber != openings else { return }
            let make = try makeX11Window(size.width, size.height, eventHandler())
            openings += 1
            openingNumber = openings
            let number = openings, relay = Relay(self)
            opener.async { [opener] in
                do throws(PlaybackError) {
                    let made = try make()
                    DispatchQueue.main.async { MainActor.assumeIsolated { relay.adopt(made, number, opener) } }
                } catch {
                    DispatchQueue.main.async { MainActor.assumeIsolated { relay.window?.openingFailed(error, number) } }
                }
            }
        } catch let error as PlaybackError {
            onFailure?(error)
        } catch { onFailure?(PlaybackError(.output, "\(error)")) }
    }

    private func openingFailed(_ error: PlaybackError, _ number: Int) {
        guard openings == number else { return }
        openingNumber = nil
        onFailure?(error)
    }

    /// Uses a new window, unless the program has opened or closed the window meanwhile.
    ///
    /// - Returns: False if the new window is not needed any more.
    fileprivate func adopt(_ made: any VideoOutput, _ number: Int) -> Bool {
        guard openings == number, output == nil else { return false }
        output = made
        // Applies changes that the program made while the window was being created.
        made.setTitle(options.title)
        made.windowOutput?.setFullScreen(options.isFullScreen)
        opened()
        return true
    }
}

extension PlayerWindow.Relay {
    /// Uses a new window, or closes it if it is not needed any more.
    ///
    /// - Parameter opener: The queue for closing, which may wait for the display server.
    fileprivate func adopt(_ made: any VideoOutput, _ number: Int, _ opener: DispatchQueue) {
        if window?.adopt(made, number) != true { opener.async { made.close() } }
    }
}
