/// Converts command line options in mpv's spellings, such as `--pause=yes`, `--loop-file` and `-fs`, to the spellings
/// that the argument parser accepts.
enum MPVArguments {
    /// The options that are only on or off and have no value.
    private static let flagOptions: Set<String> = [
        "pip", "pause", "mute", "fullscreen", "fs", "untimed", "shuffle", "sub-visibility", "osc",
        "audio-pitch-correction", "stop-screensaver",
        "mpris",
    ]
    /// The options whose value may be omitted, each with the value that stands in for an omitted one.
    private static let valuesIfOmitted = [
        "loop-file": "inf", "loop-playlist": "inf", "keep-open": "yes", "gapless-audio": "yes",
    ]

    /// Returns the command line arguments in the spellings that the argument parser accepts.
    static func normalised(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var isAfterOptions = false
        for argument in arguments {
            if argument == "--" { isAfterOptions = true }
            guard !isAfterOptions, argument.hasPrefix("--") else {
                result.append(argument == "-fs" && !isAfterOptions ? "--fs" : argument)
                continue
            }
            let option = argument.dropFirst(2)
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            if parts.count == 2, flagOptions.contains(name) {
                switch parts[1] {
                case "yes": result.append("--\(name)")
                case "no": if name != "pip", name != "untimed", name != "shuffle" { result.append("--no-\(name)") }
                default: result.append(argument)
                }
            } else if parts.count == 1, let value = valuesIfOmitted[name] {
                result.append("--\(name)=\(value)")
            } else if parts.count == 1, name.hasPrefix("no-"), valuesIfOmitted[String(name.dropFirst(3))] != nil {
                result.append("--\(name.dropFirst(3))=no")
            } else {
                result.append(argument)
            }
        }
        return result
    }
}
