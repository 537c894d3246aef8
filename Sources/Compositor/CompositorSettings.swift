/// What the user has settled for all programs, in `compositor.conf`: lines of `name=value`, `#` before a remark. A pure
/// value.
package struct CompositorSettings: Equatable, Sendable {
    /// A playing video whose window is minimised, covered or left behind on another workspace floats by itself (iOS:
    /// "Start PiP Automatically").
    package var startsAutomatically = true
    /// So many windows may float at once.
    package var windows = 1
    /// They are seen on all workspaces.
    package var isOnAllWorkspaces = true
    /// Other people's players are paused while a program plays what does not mix with them, and play on after it.
    package var pausesOtherPlayers = true

    /// Programs may begin to be heard in the background and be heard behind the lock, unless they declare otherwise
    /// themselves.
    package var allowsBackgroundAudio = true

    /// By so much a sound that has to make room for a prompt is lowered (D-1 of the audio policy).
    package var duckDecibels = 14

    package static let windowLimit = 8
    package static let duckRange = 6...35

    package init() {}

    /// What is not understood is left as it was, with a line about it in `complaints`.
    package init(parsing text: String, complaints: inout [String]) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1).map {
                $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            guard let name = words.first, !name.isEmpty else { continue }
            let value = words.count > 1 ? words[1] : "", truth: Bool? = ["yes": true, "no": false][value]
            switch (name, truth, Int(value)) {
            case ("automatic-pip", let yes?, _): startsAutomatically = yes
            case ("pip-on-all-workspaces", let yes?, _): isOnAllWorkspaces = yes
            case ("pause-other-players", let yes?, _): pausesOtherPlayers = yes
            case ("background-audio", let yes?, _): allowsBackgroundAudio = yes
            case ("pip-windows", _, let count?) where 1...Self.windowLimit ~= count: windows = count
            case ("duck-decibels", _, let depth?) where Self.duckRange ~= depth: duckDecibels = depth
            case ("duck-decibels", _, _):
                complaints.append(
                    "line \(index + 1): \(name) is a number from \(Self.duckRange.lowerBound) to \(Self.duckRange.upperBound)"
                )
            case ("automatic-pip", _, _), ("pip-on-all-workspaces", _, _), ("pause-other-players", _, _),
                ("background-audio", _, _):
                complaints.append("line \(index + 1): \(name) is yes or no")
            case ("pip-windows", _, _):
                complaints.append("line \(index + 1): \(name) is a number from 1 to \(Self.windowLimit)")
            default: complaints.append("line \(index + 1): there is no '\(name)'")
            }
        }
    }
}
