import AudioPolicy
import CompositorProtocol
import SwiftPlay

/// Formats the audio sessions of all programs as a text table for users.
enum SessionTable {
    /// Returns the audio route, the system-wide conditions (such as a phone call) and the table of sessions.
    static func text(of reply: SystemControl.Reply) -> String {
        let sessions = reply.sessions, conditions = text(of: reply.conditions)
        guard !sessions.isEmpty else { return conditions + "no audio sessions\n" }
        let titles = ["PID", "PROGRAM", "CATEGORY", "MODE", "OPTIONS", "STATE", "SOUND", "GAIN", "HELD BY", "PLACE"]
        let rows = [titles] + sessions.map(row)
        return "output: \(reply.route.map(text) ?? "unknown")\n" + conditions + TextTable.text(of: rows)
    }

    /// Returns a line about the system-wide conditions; an empty string if there are none.
    private static func text(of state: SystemSnapshot) -> String {
        var conditions: [String] = []
        switch state.phoneCall {
        case .none: break
        case .banner: conditions.append("a call rings in a banner")
        case .fullScreen: conditions.append("a call rings")
        case .accepted: conditions.append("a call")
        }
        if state.isInVideoCall { conditions.append("a video call") }
        if state.isSilent { conditions.append("the silent switch is on") }
        if state.isLocked { conditions.append("the screen is locked") }
        return conditions.isEmpty ? "" : "conditions: \(conditions.joined(separator: ", "))\n"
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
        var optionNames: [String] = []
        if options.contains(.interruptSpokenAudioAndMixWithOthers) {
            optionNames.append("interrupt-spoken")
        } else if options.contains(.mixWithOthers) {
            optionNames.append("mix")
        }
        if options.contains(.duckOthers) { optionNames.append("duck") }
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
            optionNames.isEmpty ? "-" : optionNames.joined(separator: ","), activation,
            session.isRunning ? "running" : "-", gain,
            interruptingPrograms.isEmpty ? "-" : interruptingPrograms.joined(separator: ","),
            visibilityText + (session.isNowPlaying ? ", now playing" : ""),
        ]
    }
}
