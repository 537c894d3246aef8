import Foundation
import SystemCalls
import TestSupport

/// Several programs at one sound card, and ears that tell how loud each one is.
final class SoundStage {
    let directory: RuntimeDirectory
    private let recorder: SoundRecorder
    /// Nobody leaves before the end, also where a test has no more to say to them.
    private var cast: [RunningActor] = []

    init() throws {
        directory = try RuntimeDirectory()
        recorder = try SoundRecorder()
    }

    func actor(_ role: Role, environment: [String: String?] = [:]) throws -> RunningActor {
        let actor = try RunningActor(role, in: directory, environment: environment)
        cast.append(actor)
        return actor
    }

    /// Lets so much time pass at the sound card.
    func listen(_ duration: Duration) throws {
        try recorder.wait(until: MonotonicTime.now + Deadline.nanoseconds(duration))
    }

    /// What was heard so far, up to now.
    func heard() throws -> Loudness {
        try recorder.wait(until: MonotonicTime.now)
        return Loudness(recorder.recording)
    }

    /// How loud a tone was a moment ago: from 250 to 50 ms before it is asked for, however long it takes to put
    /// together what was heard.
    func lately(_ role: Role) throws -> (low: Double, high: Double) {
        let now = MonotonicTime.now
        return try heard().range(of: role, from: now - 250_000_000, to: now - 50_000_000)
    }

    /// Waits until a tone is as loud as that: decibels below its own level.
    func wait(for role: Role, above level: Double = -1, within patience: Duration = .seconds(10)) throws {
        let since = MonotonicTime.now
        let found = Deadline.poll(for: patience, every: .milliseconds(20)) { () -> Bool? in
            let now = MonotonicTime.now
            let recent = Loudness(recorder.recording.between(max(since, now - 400_000_000), now))
            return recent.levels(of: role).last.map { $0.decibels > level } == true ? true : nil
        }
        guard found == true else { throw RigError("\(role) is not heard") }
    }

    /// Has one play, and waits until it is heard.
    func start(_ actor: RunningActor) throws {
        try actor.play()
        try wait(for: actor.role)
    }

    var compositor: Int32? { directory.processes(named: "swiftplay-compositor").first?.pid }

    /// Runs `swiftplay system`.
    @discardableResult
    func system(_ words: String...) throws -> String { try directory.system(words) }
}

/// How loud each tone is over time: relative to the tone as it was made, which is at -12 dB.
struct Loudness {
    struct Level: Sendable {
        /// Host time of the window's middle.
        let time: Int64
        let decibels: Double
    }

    let recording: SoundRecording
    /// Silence, by the policy: 80 dB below full scale.
    static let silence = -68.0

    init(_ recording: SoundRecording) { self.recording = recording }

    /// Windows of 20 ms, one each 5 ms, with soft edges, so that one tone does not leak into another.
    func levels(of role: Role) -> [Level] { levels(of: role, from: 0, to: recording.time(of: recording.samples.count)) }

    func levels(of role: Role, from start: Int64, to end: Int64) -> [Level] {
        levels(at: role.tone, from: start, to: end)
    }

    /// The same without a cut's trace: where sound breaks off at once, as it does at the card of a busy machine, every
    /// frequency is there for a moment. Frequencies that are nobody's tone tell.
    private func pureLevels(of role: Role) -> [Level] {
        let end = recording.time(of: recording.samples.count)
        let others = [700, 2000, 4250].map { levels(at: $0, from: 0, to: end) }
        return levels(of: role).enumerated().filter { index, _ in !others.contains { $0[index].decibels > -55 } }.map(
            \.element)
    }

    private func levels(at tone: Int, from start: Int64, to end: Int64) -> [Level] {
        let length = 960, hop = 240, samples = recording.samples
        let first = recording.index(at: max(start, recording.startTime)),
            last = recording.index(at: min(end, recording.time(of: samples.count)))
        guard last - first >= length else { return [] }
        let angle = 2 * Double.pi * Double(tone) / Double(SoundRecording.rate)
        let table = (0..<length).map { i -> (Double, Double) in
            let window =
                0.42 - 0.5 * cos(2 * .pi * Double(i) / Double(length)) + 0.08
                * cos(4 * .pi * Double(i) / Double(length))
            return (window * cos(angle * Double(i)), window * sin(angle * Double(i)))
        }
        return stride(from: first, through: last - length, by: hop).map { begin in
            var (re, im) = (0.0, 0.0)
            for i in 0..<length {
                let sample = Double(samples[begin + i])
                re += sample * table[i].0
                im += sample * table[i].1
            }
            // 0.42 is the window's mean; the tone was made with an amplitude of a quarter.
            let amplitude = 2 * (re * re + im * im).squareRoot() / (0.42 * Double(length))
            return Level(
                time: recording.time(of: begin + length / 2), decibels: 20 * log10(max(amplitude / 0.25, 1e-7)))
        }
    }

    /// The loudest and the quietest of a stretch; of one in which nothing was recorded neither loud nor silent enough
    /// for any check.
    func range(of role: Role, from start: Int64, to end: Int64) -> (low: Double, high: Double) {
        let all = levels(of: role, from: start, to: end).map(\.decibels)
        return (all.min() ?? -.infinity, all.max() ?? .infinity)
    }

    /// When it was last or first beyond a level.
    func lastAbove(_ level: Double, of role: Role) -> Int64? { pureLevels(of: role).last { $0.decibels > level }?.time }
    func firstAbove(_ level: Double, of role: Role, after time: Int64 = 0) -> Int64? {
        pureLevels(of: role).first { $0.decibels > level && $0.time >= time }?.time
    }
    func firstBelow(_ level: Double, of role: Role, after time: Int64) -> Int64? {
        levels(of: role).first { $0.decibels < level && $0.time >= time }?.time
    }

    /// Milliseconds in which both are louder than -40 dB.
    func overlap(_ one: Role, _ other: Role, after time: Int64 = 0) -> Double {
        Double(
            zip(pureLevels(of: one), pureLevels(of: other)).count {
                $0.decibels > -40 && $1.decibels > -40 && $0.time > time
            }) * 5
    }
}
