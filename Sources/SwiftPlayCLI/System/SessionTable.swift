import AudioPolicy
import CompositorProtocol
import SwiftPlay

/// Formats the audio sessions of all programs as a text table for users.
enum SessionTable {
    /// Returns the audio route, the system-wide conditions (such as a phone call) and the table of sessions.
    static func text(of answer: SystemControl.Reply) -> String {
        let sessions = answer.sessions, conditions = text(of: answer.conditions)
        guard !sessions.isEmpty else { return conditions + "no audio sessions\n" }
        let head = ["PID", "PROGRAM", "CATEGORY", "MODE", "OPTIONS", "STATE", "SOUND", "GAIN", "HELD BY", "PLACE"]
        let rows = [head] + sessions.map(row)
        return "output: \(answer.route.map(text) ?? "unknown")\n" + conditions + TextTable.text(of: rows)
    }

    /// Returns a line about the system-wide conditions; an empty string if there are none.
    private static func text(of state: SystemSnapshot) -> String {
        var words: [String] = []
        switch state.phoneCall {
        case .none: break
        case .banner: words.append("a call rings in a banner")
        case .fullScreen: words.append("a call rings")
        case .accepted: words.append("a call")
        }
        if state.isInVideoCall { words.append("a video call") }
        if state.isSilent { words.append("the silent switch is on") }
        if state.isLocked { words.append("the screen is locked") }
        return words.isEmpty ? "" : "conditions: \(words.joined(separator: ", "))\n"
    }

    /// Returns the name and port of an audio route.
    private static func text(of route: AudioRoute) -> String {
        let port =
            switch route.port {
            case .speaker: "speaker"
            case .headphones: "headphones"
            case .lineOut: "line out"
            case .hdmi: "HDMI"
            case .usb: "USB"
            case .bluetooth: "Bluetooth"
            case .soundServer: "sound server"
            }
        return "\(route.name) (\(port))"
    }

    /// Returns the cells of the table row for one audio session.
    private static func row(_ session: AudioSessionSnapshot) -> [String] {
        let options = session.configuration.options
        var words: [String] = []
        if options.contains(.interruptSpokenAudioAndMixWithOthers) {
            words.append("interrupt-spoken")
        } else if options.contains(.mixWithOthers) {
            words.append("mix")
        }
        if options.contains(.duckOthers) { words.append("duck") }
        let activation =
            switch session.activation {
            case .inactive: "inactive"
            case .active: "active"
            case .interrupted: "interrupted"
            }
        let gain = session.isSilent ? "silent" : session.duckDecibels == 0 ? "0 dB" : "-\(session.duckDecibels) dB"
        let interruptingPrograms = session.interruptedBy.map { $0 == 0 ? "call" : $0 == -1 ? "lock" : "\($0)" }
        let visibilityText =
            switch session.visibility {
            case .foreground: "front"
            case .background: "background"
            case .pictureInPicture: "pip"
            }
        return [
            "\(session.processID)", session.program, "\(session.configuration.category)",
            "\(session.configuration.mode)",
            words.isEmpty ? "-" : words.joined(separator: ","), activation, session.isRunning ? "running" : "-", gain,
            interruptingPrograms.isEmpty ? "-" : interruptingPrograms.joined(separator: ","),
            visibilityText + (session.isNowPlaying ? ", now playing" : ""),
        ]
    }
}
