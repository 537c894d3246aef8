import SwiftPlayKit
import SystemCalls

/// Remembering of positions and settings of files.
extension PlayerApp {
    /// The remembered positions.
    var positions: PositionStore { PositionStore(directory: settings.playback.positionsDirectory) }

    /// Returns the remembered position and settings of a file; nil if there are none, or if an option sets the start.
    func rememberedPlayback(of location: String) -> RememberedPlayback? {
        guard settings.playback.resumes, settings.start == nil else { return nil }
        return positions.playback(of: location)
    }

    /// Remembers the position of the current file, unless it has played to its end, and the settings that differ from
    /// the options.
    func savePosition() {
        guard let item = player.currentItem, item.status == .readyToPlay, !isAtEnd else { return }
        var playback = RememberedPlayback(position: max(0, player.currentTime().seconds))
        if volume != settings.volume { playback.volume = volume }
        if player.isMuted != settings.isMuted { playback.isMuted = player.isMuted }
        if player.defaultRate != Float(settings.speed) { playback.speed = Double(player.defaultRate) }
        playback.tracks = item.numberedTrackSelections
        do throws(SystemCallError) {
            try positions.save(playback, of: item.location)
        } catch { Self.reportError("cannot remember the position of \(item.location): \(error.reason)") }
    }

    /// Applies the remembered settings of a file that begins to play, and forgets them: as in mpv, they are used once.
    func useRememberedPlayback(of item: PlayerItem) {
        guard let playback = rememberedPlayback(of: item.location) else { return }
        positions.remove(item.location)
        if let volume = playback.volume { setVolume(volume) }
        if let isMuted = playback.isMuted { player.isMuted = isMuted }
        if let speed = playback.speed { setSpeed(speed) }
    }

    /// Selects the first entry of the playlist whose position is remembered.
    func selectRememberedEntry() {
        guard playlist.files.count > 1, settings.playback.resumes, settings.start == nil else { return }
        let store = positions
        if let index = playlist.files.firstIndex(where: { store.playback(of: $0) != nil }) {
            _ = playlist.go(to: index)
        }
    }
}
