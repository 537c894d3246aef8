import SystemCalls

/// Adds and removes the separate audio files of an open item.
extension PacketReader {
    /// Removes a file, or starts to open it. Reading continues in the meantime.
    mutating func changeAudioFiles(_ change: AudioFileChange) {
        switch change {
        case .add(let file):
            do throws(MediaError) { try open(file) } catch { outputs.report(.warning(error)) }
        case .remove(let track):
            let removedTracks = source.removeAudioFile(ofTrack: track)
            state.withLock { state in
                for track in removedTracks { state.tracks.formats[track.id] = nil }
            }
        }
    }

    /// Opens a file on a thread of its own, because its server or disk may not answer. Several files are opened one
    /// after another.
    private func open(_ file: AudioFile) throws(MediaError) {
        let reader = try source.makeAudioFileReader(file)
        do throws(SystemCallError) {
            try threads.spawn("audio file") { [state] in
                var failure: MediaError?
                do throws(MediaError) { try reader.open() } catch { failure = error }
                let openedFile = OpenedAudioFile(reader: reader, isSelected: file.isSelected, error: failure)
                let isTaken = state.update { state in
                    if !state.isClosed { state.openedAudioFiles.append(openedFile) }
                    return !state.isClosed
                }
                if !isTaken { reader.source.close() }
            }
        } catch {
            source.discard(reader)
            throw MediaError(.outOfMemory, "cannot start a thread: \(error.reason)")
        }
    }

    /// Adds an open file, and reports its tracks; or reports why it cannot be played.
    mutating func add(_ file: OpenedAudioFile) {
        if let error = file.error {
            source.discard(file.reader)
            return outputs.report(.warning(error))
        }
        let contents = file.reader.contents
        source.add(file.reader)
        tracks.add(contents)
        state.withLock { $0.tracks.formats.merge(contents.formats) { own, _ in own } }
        outputs.report(.audioFileAdded(contents.tracks, isSelected: file.isSelected))
    }

    /// Closes the files that were opened but not added.
    func discardAudioFiles() {
        let files = state.withLock { state in
            defer { state.openedAudioFiles = [] }
            return state.openedAudioFiles
        }
        for file in files { source.discard(file.reader) }
    }
}
