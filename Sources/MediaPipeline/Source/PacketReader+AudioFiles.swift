/// Adds and removes the separate audio files of an open item.
extension PacketReader {
    /// Carries out a change, and reports the new tracks or the error.
    mutating func changeAudioFiles(_ change: AudioFileChange) {
        switch change {
        case .add(let file):
            do throws(MediaError) {
                let added = try source.addAudioFile(file)
                tracks.add(added)
                state.withLock { $0.tracks.formats.merge(added.formats) { own, _ in own } }
                outputs.report(.audioFileAdded(added.tracks, isSelected: file.isSelected))
            } catch { outputs.report(.warning(error)) }
        case .remove(let track):
            let removedTracks = source.removeAudioFile(ofTrack: track)
            state.withLock { state in
                for track in removedTracks { state.tracks.formats[track.id] = nil }
            }
        }
    }
}
