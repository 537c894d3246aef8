/// The text commands of keys, for mpv's property `input-bindings`.
extension KeyBindings {
    /// Returns the objects in the value of `input-bindings`: the built-in bindings, then those of `input.conf` and of
    /// clients. Of several bindings of a key, the one with the highest priority applies.
    ///
    /// - Parameters:
    ///   - map: The built-in bindings and those of `input.conf`.
    ///   - addedBindings: The commands that clients have bound to keys, in place of those of `input.conf`.
    static func descriptions(_ map: KeyMap, addedBindings: [String: String]) -> [JSONValue] {
        // As in mpv, a negative priority marks built-in bindings that are switched off.
        let builtInPriority: Int64 = map.keepsDefaults ? 0 : -1
        let builtIn = all.map { description($0.key, $0.command.text, isWeak: true, priority: builtInPriority) }
        let configuredDescriptions = map.configuredBindings.filter { addedBindings[$0.key] == nil }.map {
            description($0.key, $0.text, comment: $0.comment, isWeak: false, priority: 1)
        }
        let addedDescriptions = addedBindings.sorted { $0.key < $1.key }.map {
            description($0.key, $0.value, isWeak: false, priority: 1)
        }
        return builtIn + configuredDescriptions + addedDescriptions
    }

    /// Returns the object for one key.
    private static func description(
        _ key: String, _ command: String, comment: String? = nil, isWeak: Bool, priority: Int64
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "key": .string(key), "cmd": .string(command), "is_weak": .bool(isWeak), "section": "default",
            "priority": .int(priority),
        ]
        if let comment { members["comment"] = .string(comment) }
        return .object(members)
    }
}

extension KeyBindings.Command {
    /// The command as text in mpv's syntax.
    var text: String {
        switch self {
        case .togglePause: "cycle pause"
        case .seek(let seconds): "seek \(seconds)"
        case .toggleMute: "cycle mute"
        case .changeVolume(let change): "add volume \(change)"
        case .toggleFullScreen: "cycle fullscreen"
        case .leaveFullScreen: "set fullscreen no"
        case .stepFrames(let count): count > 0 ? "frame-step" : "frame-back-step"
        case .changeSpeed(let factor): "multiply speed \(factor)"
        case .resetSpeed: "set speed 1"
        case .togglePictureInPicture: "cycle picture-in-picture"
        case .cycleTrack(let kind, let step):
            "cycle \(kind == .subtitle ? "sub" : kind.rawValue)" + (step < 0 ? " down" : "")
        case .cycleVariant(let step): "cycle variant" + (step < 0 ? " down" : "")
        case .toggleSubtitles: "cycle sub-visibility"
        case .changeSubtitleDelay(let change): "add sub-delay \(change)"
        case .changeSubtitleScale(let change): "add sub-scale \(change)"
        case .nextFile: "playlist-next"
        case .previousFile: "playlist-prev"
        case .setNextABLoopPoint: "ab-loop"
        case .toggleLoopFile: "cycle-values loop-file inf no"
        case .seekChapters(let count): "add chapter \(count)"
        case .showControls: "show-progress"
        case .quit: "quit"
        case .quitSavingPosition: "quit-watch-later"
        case .takeScreenshot(let withSubtitles): "screenshot" + (withSubtitles ? "" : " video")
        case .showStatistics: "script-binding stats/display-stats"
        case .toggleStatistics: "script-binding stats/display-stats-toggle"
        case .toggleKeyList: "script-binding stats/display-page-4-toggle"
        case .changeAudioDelay(let change): "add audio-delay \(change)"
        case .changeSubtitlePosition(let change): "add sub-pos \(change)"
        }
    }
}
