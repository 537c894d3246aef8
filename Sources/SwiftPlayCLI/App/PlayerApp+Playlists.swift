import Dispatch
import MediaPipeline
import SwiftPlayKit

/// Replaces entries that are playlists or folders with their files.
extension PlayerApp {
    /// Handles the failure to open the current file. A playlist or a folder is replaced with its files; after any other
    /// failure, plays the next file.
    func didFail(_ error: PlaybackError) {
        guard let entry = playlist.currentEntry else { return }
        if error.code == .notMedia, entry.location != "-" {
            loadPlaylist(entry, failure: error)
        } else {
            handleFailureOfCurrentFile(error)
        }
    }

    /// Starts to load the entries of a playlist or a folder, which then replace the current entry.
    ///
    /// - Parameter failure: The reason why the entry cannot be played as a file; nil if it is known to be a playlist.
    func loadPlaylist(_ entry: Playlist.Entry, failure: PlaybackError?) {
        cancelPlaylistLoading()
        let loadingNumber = playlistLoadingCount
        do {
            playlistLoader = try PlaylistLoader(entry, policy: settings.network.openPolicy) { [weak self] result in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        guard let self, self.playlistLoadingCount == loadingNumber, !self.isEnding else { return }
                        self.cancelPlaylistLoading()
                        self.didLoadPlaylist(entry, result, failure: failure)
                        self.reportPossibleChanges()
                    }
                }
            }
        } catch { handleFailureOfCurrentFile(failure ?? PlaybackError(.resources, "cannot be read: \(error)")) }
    }

    /// Cancels the loading of a playlist, if there is any.
    func cancelPlaylistLoading() {
        playlistLoadingCount += 1
        playlistLoader?.cancel()
        playlistLoader = nil
    }

    /// Replaces the current entry with the entries that were loaded, and plays the first of them.
    private func didLoadPlaylist(_ entry: Playlist.Entry, _ result: PlaylistLoader.Result, failure: PlaybackError?) {
        switch result {
        case .notPlaylist: handleFailureOfCurrentFile(failure ?? PlaybackError(.notMedia, "is not a playlist"))
        case .failure(let message): handleFailureOfCurrentFile(PlaybackError(.notMedia, message))
        case .entries(var entries, let warnings):
            for warning in warnings { Self.reportError("\(entry.description): \(warning)") }
            if settings.shufflesPlaylist { entries.shuffle() }
            let count = playlist.replaceCurrentEntry(with: entries)
            if count < entries.count {
                Self.reportError(
                    "\(entry.description): only the first \(count) of \(entries.count) entries are used, because a "
                        + "playlist has at most \(Playlist.entryLimit)")
            }
            ipc?.broadcast(
                IPCEvent(
                    "end-file",
                    [
                        "reason": .string("redirect"), "playlist_insert_id": .int(Int64(playlist.position + 1)),
                        "playlist_insert_num_entries": .int(Int64(count)),
                    ]))
            if let start = startPosition.take(), start > 0, !playlist.go(to: start) {
                Self.reportError("--playlist-start=\(start): the playlist has only \(playlist.entries.count) entries")
            }
            playCurrentFile()
        }
    }

    /// Reports that the current file cannot be played, and plays the next one.
    private func handleFailureOfCurrentFile(_ error: PlaybackError) {
        let hint =
            error.code == .untrustedServer
            ? " (--tls-ca-file=FILE trusts its authority, --tls-verify=no disables the check)" : ""
        Self.reportError("\(playlist.currentEntry?.description ?? ""): \(error.message)\(hint)")
        playlist.failedFileCount += 1
        ipc?.broadcast(IPCEvent("end-file", ["reason": .string("error"), "file_error": .string(error.message)]))
        playNextFile()
    }
}
