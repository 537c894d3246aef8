import SwiftPlayKit
import SystemCalls

/// Executes the commands that clients send by mpv's JSON IPC.
extension PlayerTarget {
    /// Executes a command and returns its result; nil if it has no result. Throws `invalidParameter` for an unknown
    /// command.
    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue? {
        switch command {
        case "seek": try seek(arguments)
        case "loadfile":
            guard let file = try arguments.first?.argumentString() else { throw .invalidParameter }
            let mode = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "replace"
            guard ["replace", "append", "append-play"].contains(mode) else { throw .invalidParameter }
            runOnMainQueue { $0.loadFile(file, mode) }
        case "stop": runOnMainQueue { $0.stop() }
        case "quit":
            let exitCode =
                arguments.isEmpty || arguments[0] == .null
                ? 0 : Int32(clamping: Int(min(max(try arguments[0].argumentNumber(), 0), 255)))
            PlayerWindow.disconnectWindows(after: PlayerApp.disconnectTimeout)
            runOnMainQueue { $0.end(.played, userExitCode: exitCode) }
        case "frame-step": player.step(byCount: 1)
        case "frame-back-step": player.step(byCount: -1)
        case _ where try runTrackCommand(command, arguments): break
        case "cycle":
            guard let name = try arguments.first?.argumentString() else { throw .invalidParameter }
            if name == "deinterlace" {
                let modes = Player.Deinterlacing.allCases, index = modes.firstIndex(of: player.deinterlacing) ?? 0
                player.deinterlacing = modes[(index + 1) % modes.count]
                break
            }
            guard case .bool(let isOn) = try getProperty(name) else { throw .invalidParameter }
            try setProperty(name, .bool(!isOn))
        case "add":
            guard let name = try arguments.first?.argumentString() else { throw .invalidParameter }
            let change = arguments.count > 1 ? try arguments[1].argumentNumber() : 1
            if name == "chapter" {
                runOnMainQueue { $0.changeChapter(by: Int(min(max(change, -1000), 1000))) }
                return nil
            }
            guard case .double(let currentValue) = try getProperty(name) else { throw .invalidParameter }
            try setProperty(
                name, .double(name == "volume" ? min(max(currentValue + change, 0), 130) : currentValue + change))
        case "playlist-next":
            guard state.withLock({ $0.playlistPosition + 1 < $0.files.count || $0.playlistLoop != .times(0) }) else {
                throw .commandFailed
            }
            runOnMainQueue { app in if app.playlist.nextPosition != nil { app.playNextFile() } }
        case "playlist-prev":
            guard state.withLock({ $0.playlistPosition > 0 }) else { throw .commandFailed }
            runOnMainQueue { app in if app.playlist.goBack() { app.playCurrentFile() } }
        case "ab-loop":
            // Update the snapshot of the state now, so that the next request returns the new points of the A-B loop.
            let time = player.currentTime().seconds
            state.withLock { $0.abLoop.setNextPoint(at: time) }
            runOnMainQueue { $0.setNextABLoopPoint(at: time) }
        case "playlist-shuffle":
            runOnMainQueue { app in
                var generator = SystemRandomNumberGenerator()
                app.playlist.shuffle(using: &generator, keepingCurrent: true)
                app.queueNextItem()
            }
        case "playlist-clear":
            runOnMainQueue { app in
                app.playlist.clear()
                app.queueNextItem()
            }
        default: throw .invalidParameter
        }
        return nil
    }

    /// Executes mpv's command `seek`.
    private func seek(_ arguments: [JSONValue]) throws(IPCError) {
        guard let target = try arguments.first?.argumentNumber() else { throw .invalidParameter }
        let flagText = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "relative"
        var flags = Set(flagText.split(separator: "+").map(String.init))
        if arguments.count > 2, arguments[2] != .null {
            flags.formUnion(try arguments[2].argumentString().split(separator: "+").map(String.init))
        }
        let knownFlags: Set = ["relative", "absolute", "relative-percent", "absolute-percent", "exact", "keyframes"]
        guard flags.isSubset(of: knownFlags) else { throw .invalidParameter }
        guard let item = player.currentItem, item.status != .readyToPlay || item.isSeekable else {
            throw .commandFailed
        }
        let duration = item.duration.seconds
        let precisely = !flags.contains("keyframes")
        let time: Double
        if flags.contains("absolute") {
            // As in mpv, negative times count from the end. The end of a live stream is its newest position.
            let end = item.isLive ? item.seekableTime(nearestTo: .infinity) : duration
            time = target < 0 && end.isFinite ? end + target : target
        } else if flags.contains("absolute-percent") || flags.contains("relative-percent") {
            guard duration.isFinite else { throw .commandFailed }
            time = duration * target / 100 + (flags.contains("relative-percent") ? player.currentTime().seconds : 0)
        } else {
            time = player.currentTime().seconds + target
        }
        // Seek directly on this thread instead of the main queue: the player is thread-safe.
        state.withLock { $0.isAtEnd = false }
        runOnMainQueue { $0.isAtEnd = false }
        player.seek(
            to: MediaTime(seconds: item.seekableTime(nearestTo: time)),
            toleranceBefore: precisely ? .zero : .positiveInfinity, toleranceAfter: .zero)
    }
}
