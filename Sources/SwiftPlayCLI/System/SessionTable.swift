import AudioPolicy
import CompositorProtocol
import SwiftPlay

/// A formatter of audio sessions as a table for users.
enum SessionTable {
    static func text(of answer: SystemControl.Answer) -> String {
        let sessions = answer.sessions, conditions = text(of: answer.conditions)
        guard !sessions.isEmpty else { return conditions + "no program has an audio session\n" }
        let head = ["PID", "PROGRAM", "CATEGORY", "MODE", "OPTIONS", "STATE", "SOUND", "GAIN", "HELD BY", "PLACE"]
        let rows = [head] + sessions.map(row)
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return "output: \(answer.route.map(text) ?? "unknown")\n" + conditions
            + rows.map { row in
                let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
                return cells.joined(separator: "  ").trimmingTail() + "\n"
            }.joined()
    }

    /// Returns a line about the conditions of the whole machine; an empty string if there are none.
    private static func text(of state: SystemSnapshot) -> String {
        var words: [String] = []
        switch state.call {
        case .none: break
        case .banner: words.append("a call rings in a banner")
        case .fullScreen: words.append("a call rings")
        case .accepted: words.append("a call")
        }
        if state.isVideoCalled { words.append("a video call") }
        if state.isSilent { words.append("the silent switch is on") }
        if state.isLocked { words.append("the screen is locked") }
        return words.isEmpty ? "" : "conditions: \(words.joined(separator: ", "))\n"
    }

    private static func text(of route: AudioRoute) -> String {
        let port =
            switch route.port {
            case .speaker: "speaker"
            case .headphones: "headphones"
            case .lineOut: "line out"
            case .hdmi: "HDMI"
            case .usb: "USB"
            case .bluetooth: "Bluetooth"
            case .server: "sound server"
            }
        return "\(route.name) (\(port))"
    }

    private static func row(_ facts: AudioSessionFacts) -> [String] {
        let options = facts.configuration.options
        var words: [String] = []
        if options.contains(.interruptSpokenAudioAndMixWithOthers) {
            words.append("interrupt-spoken")
        } else if options.contains(.mixWithOthers) {
            words.append("mix")
        }
        if options.contains(.duckOthers) { words.append("duck") }
        let claim =
            switch facts.claim {
            case .inactive: "inactive"
            case .active: "active"
            case .interrupted: "interrupted"
            }
        let gain = facts.isSilent ? "silent" : facts.duckDecibels == 0 ? "0 dB" : "-\(facts.duckDecibels) dB"
        let holders = facts.heldBy.map { $0 == 0 ? "call" : $0 == -1 ? "lock" : "\($0)" }
        let place =
            switch facts.presence {
            case .foreground: "front"
            case .background: "background"
            case .pictureInPicture: "pip"
            }
        return [
            "\(facts.processID)", facts.program, "\(facts.configuration.category)", "\(facts.configuration.mode)",
            words.isEmpty ? "-" : words.joined(separator: ","), claim, facts.isRunning ? "running" : "-", gain,
            holders.isEmpty ? "-" : holders.joined(separator: ","), place + (facts.isNowPlaying ? ", now playing" : ""),
        ]
    }
}

extension String {
    fileprivate func trimmingTail() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
