import Foundation
import Glibc
import SystemCalls
import TestSupport

/// One of the programs of the audio policy's scenarios (section 7): what its sound is, and its tone.
enum Role: Sendable {
    case music, video, otherVideo, navigation, game, solo, podcast, timer, mixed

    /// Hertz.
    var tone: Int {
        switch self {
        case .music: 440
        case .video: 1000
        case .otherVideo, .solo: 1500
        case .navigation: 2500
        case .game: 150
        case .podcast: 3500
        case .timer, .mixed: 5000
        }
    }

    /// Category, mode, and Apple's bits of the options.
    var category: String {
        switch self {
        case .music: "playback"
        case .video, .otherVideo: "playback moviePlayback"
        case .navigation: "playback voicePrompt \(0x11 | 0x02)"
        case .game: "ambient"
        case .solo: "soloAmbient"
        case .podcast: "playback spokenAudio"
        case .timer: "playback default \(0x02)"
        case .mixed: "playback default \(0x01)"
        }
    }
}

/// A program with sound, told what to do line by line (Tests/AudioSessionProbe). It dies with this object.
final class RunningActor {
    let role: Role
    private let process: CommandedProcess
    var child: ChildProcess { process.child }

    init(_ role: Role, in directory: RuntimeDirectory, environment: [String: String?] = [:]) throws {
        self.role = role
        process = try CommandedProcess("AudioSessionProbe", in: directory, environment: environment)
        try tell("listen", "category \(role.category)", "load \(try Fixtures.path("tone-\(role.tone).flac"))")
        try wait(for: "ok category")
    }

    /// Does not wait for it to be done.
    func tell(_ lines: String...) throws { try process.tell(lines) }

    /// A line that it wrote, and the host time at which it did.
    struct Line: Sendable {
        let time: Int64
        let text: String
        func value(_ name: String) -> String? {
            text.split(separator: " ").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
    }

    var lines: [Line] {
        process.lines.compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let time = Int64(words[0]) else { return nil }
            return Line(time: time, text: String(words[1]))
        }
    }

    /// Waits for the `times`th line that begins so.
    @discardableResult
    func wait(for start: String, times: Int = 1, within patience: Duration = .seconds(10)) throws -> Line {
        let found = Deadline.poll(for: patience) { () -> Line? in
            let found = lines.filter { $0.text == start || $0.text.hasPrefix(start + " ") }
            return found.count >= times ? found[times - 1] : nil
        }
        guard let found else {
            throw RigError(
                "\(role) does not say '\(start)' (\(times)); there was: \(lines.map(\.text)). \(child.errors.text.suffix(1000))"
            )
        }
        return found
    }

    /// Asks how things stand, and waits for the answer.
    func state() throws -> Line {
        let before = lines.count { $0.text.hasPrefix("state ") }
        try tell("state")
        return try wait(for: "state", times: before + 1)
    }

    /// Plays, and waits until it does.
    @discardableResult
    func play() throws -> Line {
        let before = lines.count { $0.text == "player playing" }
        try tell("play")
        return try wait(for: "player playing", times: before + 1)
    }

    /// What its session told it, in order.
    var heard: [String] {
        lines.compactMap {
            $0.text.hasPrefix("heard ") ? $0.text.split(separator: " ").dropFirst().first.map(String.init) : nil
        }
    }

    /// Waits for a notification, and returns when it came.
    @discardableResult
    func hear(_ notification: String, times: Int = 1, within patience: Duration = .seconds(10)) throws -> Int64 {
        try wait(for: "heard \(notification)", times: times, within: patience).time
    }
}
