import MediaPipeline

extension KeyBindings.Command {
    /// Creates the command that has the same effect as a text command of `input.conf`; nil for other text commands, and
    /// for those with the prefix `no-osd`, because the built-in commands show messages.
    init?(_ text: IPCCommand) {
        guard text.name != "no-osd", let command = text.withoutPrefixes else { return nil }
        var words: [String] = []
        for argument in command.arguments {
            guard case .string(let word) = argument else { return nil }
            words.append(word)
        }
        let name = words.first ?? "", number = words.count == 2 ? Double(words[1]) : nil
        switch command.name {
        case "cycle": self.init(cycling: name, by: words.last == "down" ? -1 : 1, hasDirection: words.count > 1)
        case "add": self.init(adding: words.count == 1 ? 1 : number, to: name)
        case "seek":
            guard let seconds = Double(name), seconds.isFinite,
                words.dropFirst().allSatisfy({ ["relative", "exact", "relative+exact"].contains($0) })
            else { return nil }
            self = .seek(seconds)
        case "multiply":
            guard name == "speed", let number, number > 0, number.isFinite else { return nil }
            self = .changeSpeed(number)
        case "set":
            switch (name, number) {
            case ("speed", 1?): self = .resetSpeed
            case ("fullscreen", nil) where words.last == "no": self = .leaveFullScreen
            default: return nil
            }
        default: self.init(command.name, words)
        }
    }

    /// Creates a command for the name of a text command whose arguments are fixed words; nil for other commands.
    private init?(_ name: String, _ words: [String]) {
        switch (name, words) {
        case ("frame-step", []): self = .stepFrames(1)
        case ("frame-back-step", []): self = .stepFrames(-1)
        case ("playlist-next", []), ("playlist-next", ["weak"]): self = .nextFile
        case ("playlist-prev", []), ("playlist-prev", ["weak"]): self = .previousFile
        case ("ab-loop", []): self = .setNextABLoopPoint
        case ("cycle-values", ["loop-file", "inf", "no"]): self = .toggleLoopFile
        case ("show-progress", []): self = .showControls
        case ("quit", []): self = .quit
        case ("quit-watch-later", []): self = .quitSavingPosition
        case ("screenshot", []), ("screenshot", ["subtitles"]), ("screenshot", ["window"]):
            self = .takeScreenshot(withSubtitles: true)
        case ("screenshot", ["video"]): self = .takeScreenshot(withSubtitles: false)
        case ("script-binding", ["stats/display-stats"]): self = .showStatistics
        case ("script-binding", ["stats/display-stats-toggle"]): self = .toggleStatistics
        case ("script-binding", ["stats/display-page-4-toggle"]): self = .toggleKeyList
        default: return nil
        }
    }

    /// Creates a command for `cycle`; nil for other properties.
    private init?(cycling property: String, by step: Int, hasDirection: Bool) {
        switch property {
        case "sub", "sid": self = .cycleTrack(.subtitle, by: step)
        case "audio", "aid": self = .cycleTrack(.audio, by: step)
        case "video", "vid": self = .cycleTrack(.video, by: step)
        case "variant": self = .cycleVariant(by: step)
        case "pause" where !hasDirection: self = .togglePause
        case "mute" where !hasDirection: self = .toggleMute
        case "fullscreen" where !hasDirection: self = .toggleFullScreen
        case "sub-visibility" where !hasDirection: self = .toggleSubtitles
        case "picture-in-picture" where !hasDirection: self = .togglePictureInPicture
        default: return nil
        }
    }

    /// Creates a command for `add`; nil for other properties and without a number.
    private init?(adding number: Double?, to property: String) {
        guard let number, number.isFinite else { return nil }
        switch property {
        case "volume": self = .changeVolume(number)
        case "sub-delay": self = .changeSubtitleDelay(number)
        case "sub-scale": self = .changeSubtitleScale(number)
        case "sub-pos": self = .changeSubtitlePosition(number)
        case "audio-delay": self = .changeAudioDelay(number)
        case "chapter" where abs(number) <= 1000: self = .seekChapters(Int(number))
        default: return nil
        }
    }
}
