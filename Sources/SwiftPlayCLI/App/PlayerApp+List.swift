import Dispatch
import SwiftPlayKit
import VideoOutput

/// Plays the files of the playlist one after another. The next item waits in the player's queue while the current item
/// plays.
extension PlayerApp {
    /// Plays the current file of the playlist from its start, or ends the program at the end of the list. A player that
    /// the user has paused stays paused, as in mpv.
    func playCurrentFile() {
        let staysPaused = hasStartedPlayback ? isPausedByUser : settings.isPaused
        cancelPlaylistLoading()
        guard let entry = playlist.currentEntry else { return finishPlaylist() }
        removeQueuedItem()
        (isAtEnd, isIdle) = (false, false)
        readFailure = nil
        // A client that sees the new file must also see its position in the playlist.
        if let ipcTarget { copyState(to: ipcTarget) }
        ipc?.broadcast(IPCEvent("start-file", ["playlist_entry_id": .int(Int64(playlist.position + 1))]))
        if entry.isPlaylist {
            playingItem = nil
            player.replaceCurrentItem(with: nil)
            return loadPlaylist(entry, failure: nil)
        }
        let item = makeItem(entry.location)
        playingItem = item
        player.replaceCurrentItem(with: item)
        // Starting the program or changing the file counts as a user action.
        player.recordUserRequest()
        if !staysPaused { player.play() }
        hasStartedPlayback = true
        queueNextItem()
        reportPossibleChanges()
    }

    /// Whether the user has paused a file. The player also pauses itself at the end of a file and of an image.
    private var isPausedByUser: Bool {
        if let heldImage { return heldImage.isPaused }
        return player.rate == 0 && !player.isAtEnd && !isAtEnd && playingItem.map { $0.status != .failed } == true
    }

    /// Creates an item for a file, with the program's track settings and start position.
    private func makeItem(_ file: String) -> PlayerItem {
        let item = PlayerItem(location: file)
        settings.tracks.apply(to: item)
        item.audioTimePitchAlgorithm = settings.keepsPitch ? .timeDomain : .varispeed
        if case .seconds(let start)? = settings.start, start > 0 { item.playbackStartTime = MediaTime(seconds: start) }
        if let playback = rememberedPlayback(of: file) {
            item.playbackStartTime = MediaTime(seconds: playback.position)
            for (kind, selection) in playback.tracks { item.pick(selection, kind) }
        }
        return item
    }

    /// Inserts the next item of the playlist into the player's queue. Without a next item, the player pauses at the end
    /// of the current one.
    func queueNextItem() {
        removeQueuedItem()
        guard let file = playlist.currentFile, let playingItem else { return }
        var nextItem: QueuedItem?
        if loopsLeft != .times(0) {
            // Standard input can be read only once.
            if file != "-", !playingItem.isStillImage {
                nextItem = QueuedItem(item: repetition(of: playingItem), kind: .repeated)
            }
        } else if let position = playlist.nextPosition, case let entry = playlist.entries[position],
            entry.location != "-", !entry.isPlaylist, !playingItem.isStillImage
        {
            nextItem = QueuedItem(item: makeItem(entry.location), kind: .entry(position))
        }
        queuedItem = nextItem
        player.actionAtItemEnd = nextItem == nil ? .pause : .advance
        if let nextItem { player.insert(nextItem.item, after: nil) }
    }

    /// Returns a copy of an item that begins at the position of `--start`. That position may depend on the item's
    /// duration, which is known now.
    private func repetition(of item: PlayerItem) -> PlayerItem {
        let copy = item.copy()
        copy.playbackStartTime = .invalid
        let knownDuration = item.duration.seconds
        if let start = settings.start?.seconds(duration: knownDuration.isFinite ? knownDuration : nil), start > 0 {
            copy.playbackStartTime = MediaTime(seconds: start)
        }
        return copy
    }

    /// Removes the queued item from the player's queue.
    func removeQueuedItem() {
        if let queuedItem, player.items().contains(where: { $0 === queuedItem.item }),
            player.currentItem !== queuedItem.item
        {
            player.remove(queuedItem.item)
        }
        queuedItem = nil
    }

    /// Applies the options `--start` and `--end` to an opened item, whose duration they may depend on.
    func didBecomeReady(_ item: PlayerItem) {
        let duration = item.duration.seconds
        let knownDuration = duration.isFinite ? duration : nil
        if let end = endTime(of: item, duration: knownDuration) {
            item.forwardPlaybackEndTime = MediaTime(seconds: end)
        }
        guard item === playingItem else { return }
        useRememberedPlayback(of: item)
        if let start = settings.start, !item.playbackStartTime.isNumeric {
            // A negative position in a live stream counts from the newest position.
            let end = knownDuration ?? (item.isLive ? item.seekableTime(nearestTo: .infinity) : nil)
            if let start = start.seconds(duration: end) {
                let time = MediaTime(seconds: item.isLive ? item.seekableTime(nearestTo: start) : start)
                if start > 0 { player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
            } else {
                logger.warning("--start is ignored: the duration of \(item.displayedLocation) is unknown")
            }
        }
        // The start position of the queued repetition may depend on the duration, which was unknown when the repetition
        // was queued.
        if queuedItem?.kind == .repeated, queuedItem?.item.playbackStartTime.isNumeric == false, settings.start != nil {
            queueNextItem()
        }
        if item.title == nil, let title = playlist.currentEntry?.title {
            item.externalMetadata.append(MetadataItem(key: MetadataItem.Key.title, stringValue: title))
        }
        applyABLoop()
        applyReplayGain(of: item)
        if !item.hasVideo { openForcedWindow() }
        viewController?.window.title = title(of: item)
        ipc?.broadcast(IPCEvent("file-loaded"))
    }

    /// Returns the window's title for an item, without control characters.
    func title(of item: PlayerItem) -> String {
        TerminalText.sanitised(settings.title ?? "\(item.title ?? item.displayedName) - swiftplay")
    }

    /// Repeats the file, plays the next one or ends the program after an item has ended.
    ///
    /// - Parameter error: The reason why the item ended early; nil if it played to its end.
    func didPlayToEnd(of item: PlayerItem, _ error: PlaybackError? = nil) {
        guard item === playingItem else { return }
        // Corrupt data does not count as a read failure: a damaged file plays as far as possible.
        readFailure = error.flatMap { $0.code == .corrupt ? nil : $0 }
        if let readFailure {
            let name = playlist.currentEntry?.description ?? item.displayedLocation
            Self.reportError("\(name): ended early: \(readFailure.message)")
            playlist.truncatedFileCount += 1
        } else {
            playlist.didPlay()
        }
        if holdStillImage(item) { return }
        endFile()
    }

    /// Repeats the file, plays the next one or ends the program after the current file was shown to its end.
    func endFile() {
        // The player advances to the queued item automatically and posts a notification.
        if queuedItem != nil { return }
        if loopsLeft != .times(0) {
            decrementLoopsLeft()
            return rewindCurrentItem()
        }
        isAtEnd = true
        if settings.keepsOpen, playlist.nextPosition == nil { return }
        ipc?.broadcast(endOfFileEvent)
        playNextFile()
    }

    /// The `end-file` event for a file that has played to its end or to the last position that could be read.
    private var endOfFileEvent: IPCEvent {
        guard let readFailure else { return IPCEvent("end-file", ["reason": .string("eof")]) }
        return IPCEvent("end-file", ["reason": .string("error"), "file_error": .string(readFailure.message)])
    }

    /// Subtracts one from the number of further repetitions of the current file.
    private func decrementLoopsLeft() {
        if case .times(let remaining) = loopsLeft { loopsLeft = .times(max(0, remaining - 1)) }
    }

    /// Repeats the current item by seeking to its start. Items that cannot be opened twice, such as standard input, are
    /// repeated in this way.
    private func rewindCurrentItem() {
        let start = settings.start?.seconds(duration: player.currentItem?.duration.seconds) ?? 0
        let time = MediaTime(seconds: start), endPosition = player.currentTime()
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { [weak self] isFinished in
            guard !isFinished else { return }
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.handleRewindFailure(at: endPosition) } }
        }
        player.play()
    }

    /// Plays the next file after the seek back to the start has failed, if the current item is still at its end: a
    /// newer seek may have moved it.
    private func handleRewindFailure(at endPosition: MediaTime) {
        if !player.isSeeking, player.currentTime() == endPosition { playNextFile() }
    }

    /// Updates the position in the playlist after the player has started the queued item.
    func didChangeItem(to item: PlayerItem?) {
        guard let item, let queuedItem, queuedItem.item === item else { return }
        self.queuedItem = nil
        playingItem = item
        switch queuedItem.kind {
        case .repeated: decrementLoopsLeft()
        case .entry(let position):
            ipc?.broadcast(endOfFileEvent)
            if playlist.nextPosition == position { _ = playlist.advance() } else { _ = playlist.go(to: position) }
            loopsLeft = settings.fileLoop
            ipc?.broadcast(IPCEvent("start-file", ["playlist_entry_id": .int(Int64(playlist.position + 1))]))
            if item.status == .readyToPlay { didBecomeReady(item) }
        }
        queueNextItem()
    }

    /// Plays the next file of the playlist, or ends the program after the last file.
    func playNextFile() {
        loopsLeft = settings.fileLoop
        if playlist.advance() { playCurrentFile() } else { finishPlaylist() }
    }

    /// Ends the program with an exit code that depends on the results of all files, or waits for a file.
    func finishPlaylist() {
        let idleMode = settings.playback.idleMode
        if idleMode == .yes || idleMode == .once && !hasStartedPlayback { return becomeIdle() }
        let hasPlayedNothing = playlist.playedCount == 0 && playlist.truncatedFileCount == 0
        let failureCode = hasPlayedNothing ? PlaybackExitCode.nothingPlayed : .someFilesPlayed
        end(playlist.failedFileCount == 0 ? playlist.truncatedFileCount == 0 ? .played : .truncated : failureCode)
    }

    // MARK: A-B loop and chapters

    /// Passes the points of the A-B loop to the player.
    func applyABLoop() {
        player.loopRange = abLoop.range.map {
            MediaTimeRange(start: MediaTime(seconds: $0.start), end: MediaTime(seconds: $0.end))
        }
    }

    /// Sets the next point of the A-B loop to `time`, or clears both points if both are set.
    func setNextABLoopPoint(at time: Double) {
        abLoop.setNextPoint(at: time)
        applyABLoop()
    }

    /// Seeks by `count` chapters; a negative count seeks backward. Beyond the last chapter, plays the next file.
    func changeChapter(by count: Int) {
        let starts = (player.currentItem?.chapters ?? []).map(\.timeRange.start.seconds)
        guard !starts.isEmpty else { return }
        if let target = ChapterIndex.targetIndex(from: player.currentTime().seconds, by: count, starts: starts) {
            seek(to: starts[target])
        } else if playlist.nextPosition != nil {
            playNextFile()
        }
    }

    /// Switches the endless repetition of the current file on or off.
    func toggleLoopFile() {
        loopsLeft = loopsLeft == .times(0) ? .forever : .times(0)
        queueNextItem()
    }
}
