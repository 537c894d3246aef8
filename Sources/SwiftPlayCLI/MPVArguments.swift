/// Converts command line options in mpv's spellings, such as `--pause=yes`, `--loop-file` and `-fs`, to the spellings
/// that the argument parser accepts.
enum MPVArguments {
    /// The options that are only on or off and have no value.
    private static let flagOptions = Set<String>([
        "pip", "pause", "mute", "fullscreen", "fs", "untimed", "shuffle", "sub-visibility", "secondary-sub-visibility",
        "osc",
        "audio-pitch-correction", "stop-screensaver",
        "mpris", "config", "input-default-bindings", "save-position-on-quit", "resume-playback", "replaygain-clip",
        "terminal", "input-terminal", "quiet", "really-quiet",
    ]).union(WindowOptions.flagNames)
    /// The options that are only on or off and cannot be switched off with `no-` in front.
    private static let flagsWithoutInversion: Set<String> = ["pip", "untimed", "shuffle"]
    /// The options whose value may be omitted, each with the value that stands in for an omitted one.
    private static let valuesIfOmitted = [
        "loop": "inf", "loop-file": "inf", "loop-playlist": "inf", "keep-open": "yes", "gapless-audio": "yes",
        "idle": "yes", "force-window": "yes", "aid": "auto", "sid": "auto", "vid": "auto", "audio": "auto",
        "sub": "auto", "video": "auto", "secondary-sid": "auto",
    ]
    /// The options with a value that `no-` in front sets to `no`.
    private static let valueOptionsWithInversion: Set<String> = ["video-rotate", "video-aspect-override"]
    /// The options that have another name, each with that name.
    private static let aliases = [
        "fs": "fullscreen", "audio": "aid", "sub": "sid", "video": "vid", "loop": "loop-file", "sub-files": "sub-file",
        "audio-files": "audio-file", "watch-later-directory": "watch-later-dir",
    ]
    /// The options whose value may be the following argument, although they are evaluated before the argument parser
    /// reads the command line.
    private static let earlyOptions: Set<String> = ["--config-dir", "--profile", "--include"]

    /// The names of options that the argument parser does not know, because this type replaces them.
    static var namesOfOtherSpellings: [String] { aliases.keys + earlyOptions.map { String($0.dropFirst(2)) } }

    /// The names of the options that `no-` may precede.
    static var switchNames: Set<String> {
        flagOptions.subtracting(flagsWithoutInversion).union(valuesIfOmitted.keys)
    }

    /// Returns the name of an option and its value; nil for an argument that is no option.
    ///
    /// A single hyphen may stand before a name of several letters, as in mpv.
    static func parts(_ argument: String) -> (name: String, value: String?)? {
        guard argument.hasPrefix("-"), argument != "--" else { return nil }
        let option = argument.drop { $0 == "-" }
        let nameAndValue = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = nameAndValue.first, !name.isEmpty else { return nil }
        let value = nameAndValue.count == 2 ? String(nameAndValue[1]) : nil
        if argument.hasPrefix("--") { return (String(name), value) }
        guard name.count > 1, name.first?.isLetter == true, isKnown(String(name)) || value != nil else { return nil }
        return (String(name), value)
    }

    /// Whether this type or ``IgnoredOptions`` knows an option, whose name may begin with `no-`.
    private static func isKnown(_ name: String) -> Bool {
        let nameWithoutNo = name.hasPrefix("no-") ? String(name.dropFirst(3)) : name
        return flagOptions.contains(nameWithoutNo) || valuesIfOmitted[nameWithoutNo] != nil
            || aliases[nameWithoutNo] != nil
            || IgnoredOptions.contains(nameWithoutNo)
    }

    /// Joins each option that is evaluated early with its value, if the value is a separate argument.
    static func joined(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var remainingArguments = arguments[...]
        while let argument = remainingArguments.popFirst() {
            if argument == "--" { return result + [argument] + remainingArguments }
            if earlyOptions.contains(argument), let value = remainingArguments.popFirst() {
                result.append("\(argument)=\(value)")
            } else {
                result.append(argument)
            }
        }
        return result
    }

    /// Returns the command line arguments in the spellings that the argument parser accepts. Of several settings of one
    /// switch, only the last one remains.
    static func normalised(_ arguments: [String]) -> [String] {
        var result: [String] = []
        /// The index in `result` of each switch.
        var flagIndices: [String: Int] = [:]
        var removedIndices: Set<Int> = []
        func appendFlag(_ name: String, isOn: Bool) {
            if let index = flagIndices[name] { removedIndices.insert(index) }
            flagIndices[name] = nil
            guard isOn || !flagsWithoutInversion.contains(name) else { return }
            flagIndices[name] = result.count
            result.append(isOn ? "--\(name)" : "--no-\(name)")
        }
        let options = arguments.prefix { $0 != "--" }
        for argument in options {
            guard let (givenName, value) = parts(argument) else {
                result.append(argument)
                continue
            }
            let isInverted = givenName.hasPrefix("no-") && value == nil
            let shortName = isInverted ? String(givenName.dropFirst(3)) : givenName
            let name = aliases[shortName] ?? shortName
            if flagOptions.contains(name), !isInverted || !flagsWithoutInversion.contains(name) {
                switch value {
                case nil: appendFlag(name, isOn: !isInverted)
                case "yes"?: appendFlag(name, isOn: true)
                case "no"?: appendFlag(name, isOn: false)
                default: result.append(argument)
                }
            } else if let value {
                result.append("--\(name)=\(value)")
            } else if let defaultValue = valuesIfOmitted[name] {
                result.append("--\(name)=\(isInverted ? "no" : defaultValue)")
            } else if isInverted, valueOptionsWithInversion.contains(name) {
                result.append("--\(name)=no")
            } else {
                result.append(argument)
            }
        }
        return result.indices.filter { !removedIndices.contains($0) }.map { result[$0] }
            + arguments[options.endIndex...]
    }
}
