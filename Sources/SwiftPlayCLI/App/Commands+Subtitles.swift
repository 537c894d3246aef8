import SwiftPlayKit

/// The commands for tracks and subtitles.
extension PlayerCommand {
    static let subtitles: [PlayerCommand] = [
        PlayerCommand("sub-add", "url:String flags:Choice? title:String? lang:String?") {
            target, arguments throws(IPCError) in
            let path = try arguments.location(0)
            let flag = try arguments.choice(1, of: ["select", "auto", "cached"])
            guard let item = target.player.currentItem else { throw .commandFailed }
            if flag == "cached", target.selectExternalTrack(.subtitle, at: path) { return nil }
            item.addSubtitles(
                location: path, selecting: flag != "auto", title: try arguments.nonEmptyText(2),
                language: try arguments.nonEmptyText(3))
            return nil
        },
        PlayerCommand("audio-add", "url:String flags:Choice? title:String? lang:String?") {
            target, arguments throws(IPCError) in
            let path = try arguments.location(0)
            let flag = try arguments.choice(1, of: ["select", "auto", "cached"])
            guard let item = target.player.currentItem else { throw .commandFailed }
            if flag == "cached", target.selectExternalTrack(.audio, at: path) { return nil }
            item.addAudio(
                location: path, selecting: flag != "auto", title: try arguments.nonEmptyText(2),
                language: try arguments.nonEmptyText(3))
            return nil
        },
        PlayerCommand("audio-remove", "id:Integer?") { target, arguments throws(IPCError) in
            try target.removeExternalTrack(.audio, arguments)
        },
        PlayerCommand("sub-remove", "id:Integer?") { target, arguments throws(IPCError) in
            try target.removeExternalTrack(.subtitle, arguments)
        },
        PlayerCommand("sub-seek", "skip:Integer flags:Choice?") { target, arguments throws(IPCError) in
            let count = try arguments.integer(0)
            _ = try arguments.choice(1, of: ["primary"])
            guard let start = target.player.subtitleStart(after: count) else { throw .commandFailed }
            target.seek(to: start.seconds, precisely: true)
            return nil
        },
        PlayerCommand("sub-step", "skip:Integer flags:Choice?") { target, arguments throws(IPCError) in
            let count = try arguments.integer(0)
            _ = try arguments.choice(1, of: ["primary"])
            let player = target.player
            guard let start = player.subtitleStart(after: count) else { throw .commandFailed }
            // Change the delay so that the chosen subtitle starts at the current time.
            let delayChange = player.currentTime().seconds - start.seconds
            player.subtitleDelay = MediaTime(seconds: player.subtitleDelay.seconds + delayChange)
            return nil
        },
    ]
}

extension CommandArguments {
    /// Returns an argument as text; nil if it is missing or empty.
    fileprivate func nonEmptyText(_ index: Int) throws(IPCError) -> String? {
        let text = try text(index, default: "")
        return text.isEmpty ? nil : text
    }
}
