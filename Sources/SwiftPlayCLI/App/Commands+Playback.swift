import SwiftPlayKit
import SystemCalls

/// The commands that move the position or end playback.
extension PlayerCommand {
    static let playback: [PlayerCommand] = [
        PlayerCommand("ignore") { _, _ in nil },
        PlayerCommand("seek", "target:Time flags:Flags? legacy:Choice?") { target, arguments throws(IPCError) in
            try seek(target, arguments)
            return nil
        },
        PlayerCommand("revert-seek", "flags:Flags?") { target, arguments throws(IPCError) in
            let flags = try arguments.flags(0, known: ["mark", "mark-permanent"])
            let time = target.player.currentTime().seconds
            if !flags.isEmpty {
                target.state.withLock { $0.seekHistory.mark(time, permanently: flags.contains("mark-permanent")) }
                return nil
            }
            guard let earlierPosition = target.state.update({ $0.seekHistory.revert(from: time) }) else {
                throw .commandFailed
            }
            target.seek(to: earlierPosition, precisely: true)
            return nil
        },
        PlayerCommand("frame-step") { target, _ in
            target.player.step(byCount: 1)
            return nil
        },
        PlayerCommand("frame-back-step") { target, _ in
            target.player.step(byCount: -1)
            return nil
        },
        PlayerCommand("ab-loop") { target, _ in
            // Update the snapshot of the state now, so that the next request returns the new points of the A-B loop.
            let time = target.player.currentTime().seconds
            target.state.withLock { $0.abLoop.setNextPoint(at: time) }
            target.runOnMainQueue { $0.setNextABLoopPoint(at: time) }
            return nil
        },
        PlayerCommand("stop", "flags:Flags?") { target, arguments throws(IPCError) in
            _ = try arguments.flags(0, known: ["keep-playlist"])
            target.runOnMainQueue { $0.stop() }
            return nil
        },
        PlayerCommand("quit", "code:Integer?") { target, arguments throws(IPCError) in
            let code = Int32(min(max(try arguments.number(0, default: 0), 0), 255))
            PlayerWindow.disconnectWindows(after: PlayerApp.disconnectTimeout)
            target.runOnMainQueue { $0.end(.played, userExitCode: code) }
            return nil
        },
    ]

    /// The flags of `seek`.
    private static let seekFlags: Set<String> = [
        "relative", "absolute", "relative-percent", "absolute-percent", "exact", "keyframes",
    ]

    /// Executes mpv's command `seek`.
    private static func seek(_ target: PlayerTarget, _ arguments: CommandArguments) throws(IPCError) {
        let requestedPosition = try arguments.number(0)
        let flags = try arguments.flags(1, known: seekFlags).union(arguments.flags(2, known: seekFlags))
        let player = target.player
        guard let item = player.currentItem, item.status != .readyToPlay || item.isSeekable else {
            throw .commandFailed
        }
        let duration = item.duration.seconds
        let time: Double
        if flags.contains("absolute") {
            // As in mpv, negative times count from the end. The end of a live stream is its newest position.
            let end = item.isLive ? item.seekableTime(nearestTo: .infinity) : duration
            time = requestedPosition < 0 && end.isFinite ? end + requestedPosition : requestedPosition
        } else if flags.contains("absolute-percent") || flags.contains("relative-percent") {
            guard duration.isFinite else { throw .commandFailed }
            time =
                duration * requestedPosition / 100
                + (flags.contains("relative-percent") ? player.currentTime().seconds : 0)
        } else {
            time = player.currentTime().seconds + requestedPosition
        }
        target.state.withLock { $0.seekHistory.willSeek(from: player.currentTime().seconds, now: MonotonicTime.now) }
        target.seek(to: item.seekableTime(nearestTo: time), precisely: !flags.contains("keyframes"))
    }
}

extension PlayerTarget {
    /// Seeks to a time in seconds; without `precisely`, to a keyframe before it. Seeks directly on this thread instead
    /// of the main queue: the player is thread-safe.
    func seek(to seconds: Double, precisely: Bool) {
        state.withLock { $0.isAtEnd = false }
        runOnMainQueue { $0.isAtEnd = false }
        player.seek(
            to: MediaTime(seconds: seconds), toleranceBefore: precisely ? .zero : .positiveInfinity,
            toleranceAfter: .zero)
    }
}
