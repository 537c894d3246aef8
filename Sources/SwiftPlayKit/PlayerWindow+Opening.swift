import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

extension PlayerWindow {
    /// Opens when `player` shows its first picture. The main queue does not wait for a display server: the connection
    /// and the window are made on a queue of the window's own.
    public func openAutomatically(for player: Player) {
        if options.kind == .x11, output == nil {
            opener.async { [connection] in
                // Where this fails the window is what reports it.
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
            // A display that is slow to answer sees one window, however many items begin meanwhile.
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

    /// Shows the layer in a window that was made for it, unless the program has opened or closed it meanwhile.
    ///
    /// - Returns: false when the window is not wanted any more.
    fileprivate func adopt(_ made: any VideoOutput, _ number: Int) -> Bool {
        guard openings == number, output == nil else { return false }
        output = made
        // What the program asked for while the window was being made.
        made.setTitle(options.title)
        made.windowOutput?.setFullScreen(options.isFullScreen)
        opened()
        return true
    }
}

extension PlayerWindow.Relay {
    /// - Parameter opener: closes a window that is not wanted any more, which may wait for the display server.
    fileprivate func adopt(_ made: any VideoOutput, _ number: Int, _ opener: DispatchQueue) {
        if window?.adopt(made, number) != true { opener.async { made.close() } }
    }
}
