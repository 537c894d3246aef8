import SwiftPlayKit

/// The IPC server of the program, and the state that it publishes.
extension PlayerApp {
    /// Starts the IPC server of `--input-ipc-server`.
    func openIPC() {
        guard let path = settings.ipcPath else { return }
        let target = PlayerTarget(player: player, layer: layer, settings: settings)
        target.app = self
        ipcTarget = target
        // Set the state of the IPC target before listening, because a client may connect immediately.
        copyState(to: target)
        do {
            let server = try IPCServer(path: path, target: target)
            ipc = server
            frameObservation = player.observeFrames { server.reportPlaybackAdvance() }
            Application.shared.setBudgetHandler(server) { server.reportPossibleChanges() }
        } catch {
            Self.reportError("\(error)")
            end(.cannotStart)
        }
    }

    /// Publishes the player's state, which may have changed, to the desktop and to the clients of the IPC server.
    func reportPossibleChanges() {
        updateNowPlaying()
        statusLine?.setNeedsUpdate()
        viewController?.offersPreviousItem = playlist.position > 0
        viewController?.offersNextItem = playlist.nextPosition != nil
        guard let ipc, let target = ipcTarget else { return }
        copyState(to: target)
        ipc.reportPossibleChanges()
    }

    /// Copies the program's state, which belongs to the main queue, for the IPC server's thread.
    func copyState(to target: PlayerTarget) {
        let isFullScreen = viewController?.window.isFullScreen ?? false
        let isInPictureInPicture = pictureInPicture?.isPictureInPictureActive ?? false
        let isPictureInPicturePossible = pictureInPicture?.isPictureInPicturePossible ?? false
        let isPictureInPictureStalled = pictureInPicture?.isPictureInPictureStalled ?? false
        target.state.withLock { state in
            (state.settings, state.volume, state.isAtEnd) = (settings, volume, isAtEnd)
            state.isImagePaused = heldImage?.isPaused
            (state.isFullScreen, state.isInPictureInPicture) = (isFullScreen, isInPictureInPicture)
            state.isPictureInPicturePossible = isPictureInPicturePossible
            state.isPictureInPictureStalled = isPictureInPictureStalled
            (state.entries, state.playlistPosition) = (playlist.entries, playlist.position)
            (state.fileLoop, state.playlistLoop, state.abLoop) = (loopsLeft, playlist.remainingRounds, abLoop)
            (state.isShuffled, state.isIdle, state.keyMap) = (playlist.isShuffled, isIdle, keyMap)
        }
    }
}
