import SwiftPlayKit
import SystemCalls

/// The commands of mpv's JSON IPC.
extension PlayerTarget {
    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue? {
        switch command {
        case "seek": try seek(arguments)
        case "loadfile":
            guard let file = try arguments.first?.argumentString() else { throw .invalidParameter }
            let mode = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "replace"
            guard ["replace", "append", "append-play"].contains(mode) else { throw .invalidParameter }
            onMain { $0.load(file, mode) }
        case "stop": onMain { $0.stop() }
        case "quit":
            let code =
                arguments.isEmpty || arguments[0] == .null
                ? 0 : Int32(clamping: Int(min(max(try arguments[0].argumentNumber(), 0), 255)))
            PlayerWindow.disconnectDisplays(after: PlayerApp.displayPatience)
            onMain { $0.end(.played, reporting: code) }
        case "frame-step": player.step(byCount: 1)
        case "frame-back-step": player.step(byCount: -1)
        case _ where try runTrackCommand(command, arguments): break
        case "cycle":
            guard let name = try arguments.first?.argumentString() else { throw .invalidParameter }
            if name == "deinterlace" {
                let all = Player.Deinterlacing.allCases, place = all.firstIndex(of: player.deinterlacing) ?? 0
                player.deinterlacing = all[(place + 1) % all.count]
                break
            }
            guard case .bool(let now) = try getProperty(name) else { throw .invalidParameter }
            try setProperty(name, .bool(!now))
        case "add":
            guard let name = try arguments.first?.argumentString() else { throw .invalidParameter }
            let by = arguments.count > 1 ? try arguments[1].argumentNumber() : 1
            if name == "chapter" {
                onMain { $0.changeChapter(by: Int(min(max(by, -1000), 1000))) }
                return nil
            }
            guard case .double(let now) = try getProperty(name) else { throw .invalidParameter }
            try setProperty(name, .double(name == "volume" ? min(max(now + by, 0), 130) : now + by))
        case "playlist-next":
            guard facts.withLock({ $0.position + 1 < $0.files.count || $0.listLoop != .times(0) }) else {
                throw .commandFailed
            }
            onMain { app in if app.playlist.following != nil { app.advance() } }
        case "playlist-prev":
            guard facts.withLock({ $0.position > 0 }) else { throw .commandFailed }
            onMain { app in if app.playlist.goBack() { app.playCurrent() } }
        case "ab-loop":
            // Update the snapshot now, so that the next request returns the new points.
            let time = player.currentTime().seconds
            facts.withLock { $0.abLoop.step(at: time) }
            onMain { $0.stepABLoop(at: time) }
        case "playlist-shuffle":
            onMain { app in
                var generator = SystemRandomNumberGenerator()
                app.playlist.shuffle(using: &generator, keepingCurrent: true)
                app.queueNext()
            }
        case "playlist-clear":
            onMain { app in
                app.playlist.clear()
                app.queueNext()
            }
        default: throw .invalidParameter
        }
        return nil
    }

    private func seek(_ arguments: [JSONValue]) throws(IPCError) {
        guard let target = try arguments.first?.argumentNumber() else { throw .invalidParameter }
        let words = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "relative"
        var flags = Set(words.split(separator: "+").map(String.init))
        if arguments.count > 2, arguments[2] != .null {
            flags.formUnion(try arguments[2].argumentString().split(separator: "+").map(String.init))
        }
        let known: Set = ["relative", "absolute", "relative-percent", "absolute-percent", "exact", "keyframes"]
        guard flags.isSubset(of: known) else { throw .invalidParameter }
        guard let item = player.currentItem, item.status != .readyToPlay || item.isSeekable else {
            throw .commandFailed
        }
        let duration = item.duration.seconds
        let precisely = !flags.contains("keyframes")
        let time: Double
        if flags.contains("absolute") {
            time = target < 0 && duration.isFinite ? duration + target : target
        } else if flags.contains("absolute-percent") || flags.contains("relative-percent") {
            guard duration.isFinite else { throw .commandFailed }
            time = duration * target / 100 + (flags.contains("relative-percent") ? player.currentTime().seconds : 0)
        } else {
            time = player.currentTime().seconds + target
        }
        // Seek directly on this thread, without the main queue: the player is thread-safe.
        facts.withLock { $0.eofReached = false }
        onMain { $0.eofReached = false }
        let end = duration.isFinite ? duration : .greatestFiniteMagnitude
        player.seek(
            to: MediaTime(seconds: min(max(0, time), end)), toleranceBefore: precisely ? .zero : .positiveInfinity,
            toleranceAfter: .zero)
    }
}
