import Foundation
import Glibc
import SystemCalls
import TestSupport

/// The role of a program in the audio session tests, which determines the category of its session and the tone it
/// plays.
enum Role: Sendable {
    case music, video, otherVideo, navigation, game, solo, podcast, timer, mixed

    /// The frequency, in hertz, of the tone that the program plays.
    var toneFrequency: Int {
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

    /// The arguments of the `category` command of `Tests/AudioSessionProbe`: the category, the mode, and the options as
    /// the raw value of `AVAudioSession.CategoryOptions`.
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

/// A program under test: a process that plays audio and performs one command per line (`Tests/AudioSessionProbe`).
///
/// The process is killed when this object is deallocated.
final class RunningAudioProbe {
    /// The role of the program, which determines its tone and its audio session category.
    let role: Role
    private let process: CommandedProcess
    var child: ChildProcess { process.child }

    init(_ role: Role, in directory: RuntimeDirectory, environment: [String: String?] = [:]) throws {
        self.role = role
        process = try CommandedProcess("AudioSessionProbe", in: directory, environment: environment)
        try send("observe", "category \(role.category)", "load \(try Fixtures.path("tone-\(role.toneFrequency).flac"))")
        try wait(for: "ok category")
    }

    /// Sends commands to the program, and does not wait until the program has performed them.
    func send(_ lines: String...) throws { try process.send(lines) }

    /// A line that the program wrote, and the host time in nanoseconds at which the program wrote it.
    struct Line: Sendable {
        let time: Int64
        let text: String
        /// Returns the value in `name=value` in this line; nil if the line does not contain the name.
        func value(_ name: String) -> String? {
            text.split(separator: " ").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
    }

    /// The complete lines that the program has written so far.
    var lines: [Line] {
        process.lines.compactMap { line in
            let timeAndText = line.split(separator: " ", maxSplits: 1)
            guard timeAndText.count == 2, let time = Int64(timeAndText[0]) else { return nil }
            return Line(time: time, text: String(timeAndText[1]))
        }
    }

    /// Waits until the program has written `times` lines that begin with the words `start`, and returns the last of
    /// these lines.
    @discardableResult
    func wait(for start: String, times: Int = 1, within timeout: Duration = .seconds(10)) throws -> Line {
        let line = Deadline.poll(for: timeout) { () -> Line? in
            let matches = lines.filter { $0.text == start || $0.text.hasPrefix(start + " ") }
            return matches.count >= times ? matches[times - 1] : nil
        }
        guard let line else {
            throw TestFailure(
                """
                \(role) did not write '\(start)' \(times) times; it wrote \(lines.map(\.text)). \
                \(child.errors.text.suffix(1000))
                """)
        }
        return line
    }

    /// Requests the state of the audio session and of the player, and returns the line with the reply.
    func state() throws -> Line {
        let earlierCount = lines.count { $0.text.hasPrefix("state ") }
        try send("state")
        return try wait(for: "state", times: earlierCount + 1)
    }

    /// Starts playback, waits until the player reports that it plays, and returns the line of this report.
    @discardableResult
    func play() throws -> Line {
        let earlierCount = lines.count { $0.text == "player playing" }
        try send("play")
        return try wait(for: "player playing", times: earlierCount + 1)
    }

    /// The notifications that the audio session has received so far, oldest first, such as `began(default)`.
    var notifications: [String] {
        lines.compactMap {
            $0.text.hasPrefix("notified ") ? $0.text.split(separator: " ").dropFirst().first.map(String.init) : nil
        }
    }

    /// Waits until the audio session has received `notification` `times` times.
    ///
    /// - Returns: the host time, in nanoseconds, at which the program reported the last of these notifications.
    @discardableResult
    func waitForNotification(_ notification: String, times: Int = 1, within timeout: Duration = .seconds(10)) throws
        -> Int64
    {
        try wait(for: "notified \(notification)", times: times, within: timeout).time
    }
}
