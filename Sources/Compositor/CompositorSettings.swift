/// The user's settings for all programs, from `compositor.conf`.
///
/// The file has lines of the form `name=value`; `#` begins a comment. A pure value.
package struct CompositorSettings: Equatable, Sendable {
    /// Whether Picture-in-Picture starts automatically when the window of a playing video is minimised, covered, or
    /// left on another workspace (iOS: "Start PiP Automatically").
    package var startsPictureInPictureAutomatically = true
    /// The largest number of floating windows at a time, 1 to ``windowLimit``.
    package var maximumWindowCount = 1
    /// Whether floating windows are visible on all workspaces.
    package var isOnAllWorkspaces = true
    /// Whether players of other programs (MPRIS) are paused while a SwiftPlay session that does not mix with others
    /// plays, and resumed after it.
    package var pausesOtherPlayers = true

    /// Whether programs may start playback in the background and play while the screen is locked. A program can decline
    /// this right for itself.
    package var allowsBackgroundAudio = true

    /// Whether the compositor may end programs while memory stays critically short, even programs that do not declare
    /// that a restart loses no data.
    package var mayEndPrograms = false

    /// The attenuation of a session while another session, such as a prompt, ducks it; in decibels, within
    /// ``duckRange``.
    package var duckDecibels = 14

    /// The largest number of floating windows that a user can set.
    package static let windowLimit = 8
    /// The range of attenuations that a user can set, in decibels (``duckDecibels``).
    package static let duckRange = 6...35

    /// Creates the settings that apply without a settings file.
    package init() {}

    /// Parses the text of `compositor.conf`. A setting whose line is invalid keeps its default.
    ///
    /// - Parameters:
    ///   - text: The content of the file.
    ///   - warnings: Receives one message for each invalid line.
    package init(parsing text: String, warnings: inout [String]) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let nameAndValue = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1).map {
                $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            guard let name = nameAndValue.first, !name.isEmpty else { continue }
            let value = nameAndValue.count > 1 ? nameAndValue[1] : ""
            let booleanValue: Bool? = ["yes": true, "no": false][value]
            switch (name, booleanValue, Int(value)) {
            case ("automatic-pip", let isOn?, _): startsPictureInPictureAutomatically = isOn
            case ("pip-on-all-workspaces", let isOn?, _): isOnAllWorkspaces = isOn
            case ("pause-other-players", let isOn?, _): pausesOtherPlayers = isOn
            case ("background-audio", let isOn?, _): allowsBackgroundAudio = isOn
            case ("end-programs", let isOn?, _): mayEndPrograms = isOn
            case ("pip-windows", _, let count?) where 1...Self.windowLimit ~= count: maximumWindowCount = count
            case ("duck-decibels", _, let decibels?) where Self.duckRange ~= decibels: duckDecibels = decibels
            case ("duck-decibels", _, _):
                warnings.append(
                    "line \(index + 1): \(name) must be a number from \(Self.duckRange.lowerBound) "
                        + "to \(Self.duckRange.upperBound)"
                )
            case ("automatic-pip", _, _), ("pip-on-all-workspaces", _, _), ("pause-other-players", _, _),
                ("background-audio", _, _), ("end-programs", _, _):
                warnings.append("line \(index + 1): \(name) must be yes or no")
            case ("pip-windows", _, _):
                warnings.append("line \(index + 1): \(name) must be a number from 1 to \(Self.windowLimit)")
            default: warnings.append("line \(index + 1): unknown setting '\(name)'")
            }
        }
    }
}
