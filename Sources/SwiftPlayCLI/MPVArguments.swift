/// Normalises the spellings that mpv accepts for options: `--pause=yes`, `--pause`, `--loop-file`, `-fs`.
enum MPVArguments {
    private static let flags: Set<String> = [
        "pip", "pause", "mute", "fullscreen", "fs", "untimed", "shuffle", "sub-visibility", "osc",
        "audio-pitch-correction", "stop-screensaver",
        "mpris",
    ]
    private static let optionalValues = [
        "loop-file": "inf", "loop-playlist": "inf", "keep-open": "yes", "gapless-audio": "yes",
    ]

    static func normalised(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var isRest = false
        for argument in arguments {
            if argument == "--" { isRest = true }
            guard !isRest, argument.hasPrefix("--") else {
                result.append(argument == "-fs" && !isRest ? "--fs" : argument)
                continue
            }
            let body = argument.dropFirst(2)
            let parts = body.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            if parts.count == 2, flags.contains(name) {
                switch parts[1] {
                case "yes": result.append("--\(name)")
                case "no": if name != "pip", name != "untimed", name != "shuffle" { result.append("--no-\(name)") }
                default: result.append(argument)
                }
            } else if parts.count == 1, let value = optionalValues[name] {
                result.append("--\(name)=\(value)")
            } else if parts.count == 1, name.hasPrefix("no-"), optionalValues[String(name.dropFirst(3))] != nil {
                result.append("--\(name.dropFirst(3))=no")
            } else {
                result.append(argument)
            }
        }
        return result
    }
}
