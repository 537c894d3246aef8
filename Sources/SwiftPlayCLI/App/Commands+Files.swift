import SwiftPlayKit

/// The commands for screenshots, remembered positions and text pages.
extension PlayerCommand {
    static let files: [PlayerCommand] = [
        PlayerCommand("screenshot", "flags:Flags?") { target, arguments throws(IPCError) in
            let withSubtitles = try showsSubtitles(arguments, 0)
            target.runOnMainQueue { $0.takeScreenshot(withSubtitles: withSubtitles) }
            return nil
        },
        PlayerCommand("screenshot-to-file", "filename:String flags:Flags?") { target, arguments throws(IPCError) in
            let path = try arguments.text(0), withSubtitles = try showsSubtitles(arguments, 1)
            target.runOnMainQueue { $0.takeScreenshot(withSubtitles: withSubtitles, path: path) }
            return nil
        },
        PlayerCommand("write-watch-later-config") { target, _ in
            target.runOnMainQueue { $0.savePosition() }
            return nil
        },
        PlayerCommand("delete-watch-later-config", "filename:String?") { target, arguments throws(IPCError) in
            let currentLocation = target.player.currentItem?.location
            let location = arguments.values.isEmpty ? currentLocation : try arguments.location(0)
            guard let location else { throw .commandFailed }
            target.runOnMainQueue { $0.positions.remove(location) }
            return nil
        },
        PlayerCommand("quit-watch-later", "code:Integer?") { target, _ in
            target.runOnMainQueue { $0.perform(.quitSavingPosition) }
            return nil
        },
        PlayerCommand("script-binding", "name:String") { target, arguments throws(IPCError) in
            switch try arguments.text(0) {
            case "stats/display-stats": target.runOnMainQueue { $0.perform(.showStatistics) }
            case "stats/display-stats-toggle": target.runOnMainQueue { $0.perform(.toggleStatistics) }
            case "stats/display-page-4-toggle": target.runOnMainQueue { $0.perform(.toggleKeyList) }
            default: throw .commandFailed
            }
            return nil
        },
    ]

    /// Returns whether a screenshot with the flags in an argument contains subtitles. As in mpv, the flag `window`
    /// contains them.
    private static func showsSubtitles(_ arguments: CommandArguments, _ index: Int) throws(IPCError) -> Bool {
        try !arguments.flags(index, known: ["subtitles", "video", "window", "single"]).contains("video")
    }
}
