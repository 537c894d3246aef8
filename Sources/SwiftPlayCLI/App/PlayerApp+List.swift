import Dispatch
import SwiftPlayKit

/// Playback of the playlist. The next item is in the player's queue while the current item still plays.
extension PlayerApp {
    /// The item that the player advances to when the current item ends.
    struct Queued {
        enum Kind: Equatable {
            /// A repetition of the current file.
            case again
            /// The playlist entry at an index.
            case entry(Int)
        }
        let item: PlayerItem
        let kind: Kind
    }

    func playCurrent() {
        guard let file = playlist.current else { return finish() }
        unqueue()
        eofReached = false
        readFailure = nil
        let item = makeItem(file)
        playing = item
        ipc?.broadcast(IPCEvent("start-file", ["playlist_entry_id": .int(Int64(playlist.position + 1))]))
        player.replaceCurrentItem(with: item)
        // Starting the program or changing the file is a user action.
        player.noteGesture()
        if !settings.isPaused || hasStarted { player.play() }
        hasStarted = true
        queueNext()
        propertiesMayHaveChanged()
    }

    private func makeItem(_ file: String) -> PlayerItem {
        let item = PlayerItem(location: file)
        settings.tracks.apply(to: item)
        item.audioTimePitchAlgorithm = settings.keepsPitch ? .timeDomain : .varispeed
        if case .seconds(let start)? = settings.start, start > 0 { item.playbackStartTime = MediaTime(seconds: start) }
        return item
    }

    /// Inserts the next item into the player's queue. Without a next item, the player pauses at the end.
    func queueNext() {
        unqueue()
        guard let file = playlist.current, let playing else { return }
        var next: Queued?
        if loopsLeft != .times(0) {
            // Standard input can be read only once.
            if file != "-" { next = Queued(item: again(playing), kind: .again) }
        } else if let position = playlist.following, playlist.files[position] != "-" {
            next = Queued(item: makeItem(playlist.files[position]), kind: .entry(position))
        }
        queued = next
        player.actionAtItemEnd = next == nil ? .pause : .advance
        if let next { player.insert(next.item, after: nil) }
    }

    /// Returns a copy of the item that begins at `--start`, which now can use the known duration.
    private func again(_ item: PlayerItem) -> PlayerItem {
        let copy = item.copy()
        copy.playbackStartTime = .invalid
        let known = item.duration.seconds
        if let start = settings.start?.seconds(duration: known.isFinite ? known : nil), start > 0 {
            copy.playbackStartTime = MediaTime(seconds: start)
        }
        return copy
    }

    private func unqueue() {
        if let queued, player.items().contains(where: { $0 === queued.item }), player.currentItem !== queued.item {
            player.remove(queued.item)
        }
        queued = nil
    }

    func ready(_ item: PlayerItem) {
        let duration = item.duration.seconds
        let known = duration.isFinite ? duration : nil
        if let end = settings.end?.seconds(duration: known) { item.forwardPlaybackEndTime = MediaTime(seconds: end) }
        guard item === playing else { return }
        if let start = settings.start, !item.playbackStartTime.isNumeric {
            if let start = start.seconds(duration: known) {
                let time = MediaTime(seconds: start)
                if start > 0 { player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
            } else {
                logger.warning("--start is ignored: the length of \(item.location) is not known")
            }
        }
        // The start of the queued repetition may depend on the duration, which was unknown when it was queued.
        if queued?.kind == .again, queued?.item.playbackStartTime.isNumeric == false, settings.start != nil {
            queueNext()
        }
        applyABLoop()
        screen?.window.title = title(of: item)
        ipc?.broadcast(IPCEvent("file-loaded"))
    }

    func title(of item: PlayerItem) -> String {
        settings.title
            ?? "\(item.title ?? item.location.split(separator: "/").last.map(String.init) ?? item.location) - swiftplay"
    }

    /// - Parameter error: The reason why the item ended early; nil if it played to its end.
    func reachedEnd(of item: PlayerItem, _ error: PlaybackError? = nil) {
        guard item === playing else { return }
        // Data corruption does not count as a read failure: a damaged file plays as far as possible.
        readFailure = error.flatMap { $0.code == .corrupt ? nil : $0 }
        if let readFailure {
            Self.complain("\(item.location): ended early: \(readFailure.message)")
            playlist.cutShort += 1
        } else {
            playlist.notePlayed()
        }
        // The player advances by itself and posts a notification.
        if queued != nil { return }
        if loopsLeft != .times(0) {
            countLoop()
            return rewind()
        }
        eofReached = true
        if settings.keepsOpen, playlist.following == nil { return }
        ipc?.broadcast(endOfFile)
        advance()
    }

    /// The `end-file` event for a file that played to its end or as far as it could be read.
    private var endOfFile: IPCEvent {
        guard let readFailure else { return IPCEvent("end-file", ["reason": .string("eof")]) }
        return IPCEvent("end-file", ["reason": .string("error"), "file_error": .string(readFailure.message)])
    }

    private func countLoop() { if case .times(let left) = loopsLeft { loopsLeft = .times(max(0, left - 1)) } }

    /// Repeats the current item with a seek, for items that cannot be opened twice.
    private func rewind() {
        let start = settings.start?.seconds(duration: player.currentItem?.duration.seconds) ?? 0
        let time = MediaTime(seconds: start)
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { [weak self] isThere in
            // An item that cannot seek back has ended.
            if !isThere { DispatchQueue.main.async { MainActor.assumeIsolated { self?.advance() } } }
        }
        player.play()
    }

    /// Updates the playlist after the player advanced to the queued item.
    func went(to item: PlayerItem?) {
        guard let item, let queued, queued.item === item else { return }
        self.queued = nil
        playing = item
        switch queued.kind {
        case .again: countLoop()
        case .entry(let position):
            ipc?.broadcast(endOfFile)
            if playlist.following == position { _ = playlist.advance() } else { _ = playlist.go(to: position) }
            loopsLeft = settings.loop
            ipc?.broadcast(IPCEvent("start-file", ["playlist_entry_id": .int(Int64(playlist.position + 1))]))
            if item.status == .readyToPlay { ready(item) }
        }
        queueNext()
    }

    func advance() {
        loopsLeft = settings.loop
        if playlist.advance() { playCurrent() } else { finish() }
    }

    func finish() {
        let isEmpty = playlist.played == 0 && playlist.cutShort == 0
        end(
            playlist.failed == 0 ? playlist.cutShort == 0 ? .played : .cutShort : isEmpty ? .nothingPlayed : .somePlayed
        )
    }

    // MARK: A-B loop and chapters

    func applyABLoop() {
        player.loopRange = abLoop.range.map {
            MediaTimeRange(start: MediaTime(seconds: $0.start), end: MediaTime(seconds: $0.end))
        }
    }

    func stepABLoop(at time: Double) {
        abLoop.step(at: time)
        applyABLoop()
    }

    /// Seeks forward by `count` chapters; beyond the last chapter, plays the next file.
    func changeChapter(by count: Int) {
        let starts = (player.currentItem?.chapters ?? []).map(\.timeRange.start.seconds)
        guard !starts.isEmpty else { return }
        if let target = ChapterPlace.target(from: player.currentTime().seconds, by: count, starts: starts) {
            seek(to: starts[target])
        } else if playlist.following != nil {
            advance()
        }
    }

    func toggleLoopFile() {
        loopsLeft = loopsLeft == .times(0) ? .forever : .times(0)
        queueNext()
    }
}
