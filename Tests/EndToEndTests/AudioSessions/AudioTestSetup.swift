import Foundation
import SystemCalls
import TestSupport

/// The setup of an audio session test: several programs that each play a tone of a different frequency on one sound
/// card, and a recorder for the loudness of each tone.
final class AudioTestSetup {
    let directory: RuntimeDirectory
    private let recorder: AudioRecorder
    /// The programs that the test has started. The array keeps their processes running until the test ends, even if the
    /// test no longer uses them.
    private var probes: [RunningAudioProbe] = []

    init() throws {
        directory = try RuntimeDirectory()
        recorder = try AudioRecorder()
    }

    /// Starts a program with the given role. The program does not play yet.
    func startProbe(_ role: Role, environment: [String: String?] = [:]) throws -> RunningAudioProbe {
        let probe = try RunningAudioProbe(role, in: directory, environment: environment)
        probes.append(probe)
        return probe
    }

    /// Waits until the recording has grown by `duration`.
    func record(for duration: Duration) throws {
        try recorder.wait(until: MonotonicTime.now + Deadline.nanoseconds(duration))
    }

    /// Returns the loudness of each program's tone over time, from the start of the recording until now.
    func loudness() throws -> Loudness {
        try recorder.wait(until: MonotonicTime.now)
        return Loudness(recorder.recording)
    }

    /// Returns the lowest and the highest level of a role's tone, in decibels, between 250 and 50 ms before the current
    /// time.
    ///
    /// The current time is read first, because collecting the recording can take long.
    func recentLevelRange(of role: Role) throws -> (low: Double, high: Double) {
        let now = MonotonicTime.now
        return try loudness().levelRange(of: role, from: now - 250_000_000, to: now - 50_000_000)
    }

    /// Waits until the tone of `role` is louder than `level`, in decibels relative to the level of the tone files.
    func waitUntilAudible(_ role: Role, above level: Double = -1, within timeout: Duration = .seconds(10)) throws {
        let startTime = MonotonicTime.now
        let isAudible = Deadline.poll(for: timeout, every: .milliseconds(20)) { () -> Bool? in
            let now = MonotonicTime.now
            let recentLoudness = Loudness(recorder.recording.between(max(startTime, now - 400_000_000), now))
            return recentLoudness.levels(of: role).last.map { $0.decibels > level } == true ? true : nil
        }
        guard isAudible == true else { throw TestFailure("the tone of \(role) is not louder than \(level) dB") }
    }

    /// Starts playback in a program and waits until its tone is audible.
    func startPlayback(of probe: RunningAudioProbe) throws {
        try probe.play()
        try waitUntilAudible(probe.role)
    }

    /// The process identifier of the compositor; nil if no compositor runs.
    var compositorPID: Int32? { directory.processes(named: "swiftplay-compositor").first?.pid }

    /// Runs `swiftplay system` with `arguments` and returns its output.
    @discardableResult
    func runSystemCommand(_ arguments: String...) throws -> String { try directory.runSystemCommand(arguments) }
}

/// The loudness of each role's tone over the time of a recording, in decibels relative to the level of the tone files,
/// which is 12 dB below full scale.
struct Loudness {
    /// The loudness of one tone in a window of 20 ms of the recording.
    struct Level: Sendable {
        /// The host time of the middle of the window, in nanoseconds.
        let time: Int64
        let decibels: Double
    }

    let recording: AudioRecording
    /// The level in decibels below which a tone counts as silent: 80 dB below full scale, which is 68 dB below the tone
    /// files, whose level is 12 dB below full scale.
    static let silenceLevel = -68.0

    init(_ recording: AudioRecording) { self.recording = recording }

    /// Returns the levels of a role's tone in windows of 20 ms that begin 5 ms apart. A Blackman window limits the
    /// leakage of one tone into another.
    func levels(of role: Role) -> [Level] { levels(of: role, from: 0, to: recording.time(of: recording.samples.count)) }

    /// Returns the levels of a role's tone between two host times in nanoseconds.
    func levels(of role: Role, from start: Int64, to end: Int64) -> [Level] {
        levels(ofFrequency: role.toneFrequency, from: start, to: end)
    }

    /// Returns the levels of a role's tone without the windows that contain an abrupt cut.
    ///
    /// The sound card of a busy machine may cut audio off. Such a cut contains all frequencies for a moment, so this
    /// method detects a cut by sound at frequencies that no program plays.
    private func levelsWithoutCuts(of role: Role) -> [Level] {
        let recordingEnd = recording.time(of: recording.samples.count)
        let noise = Self.unusedFrequencies.map { levels(ofFrequency: $0, from: 0, to: recordingEnd) }
        return levels(of: role).enumerated().filter { index, _ in !noise.contains { $0[index].decibels > -55 } }.map(
            \.element)
    }

    /// Returns the highest level of a role's tone, in decibels, between two host times in nanoseconds. Returns infinity
    /// if this time was not recorded.
    ///
    /// Ignores windows with an abrupt cut of another program's tone, because such a cut contains all frequencies alike,
    /// even frequencies that no program plays. A tone that is really played, however short, is at least
    /// ``minimumToneExcessInDecibels`` decibels louder than the unused frequencies.
    func highestLevel(of role: Role, from start: Int64, to end: Int64) -> Double {
        let tone = levels(of: role, from: start, to: end)
        let noise = Self.unusedFrequencies.map { levels(ofFrequency: $0, from: start, to: end) }
        guard !tone.isEmpty else { return .infinity }
        return tone.indices.filter { index in
            noise.allSatisfy { tone[index].decibels > $0[index].decibels + Self.minimumToneExcessInDecibels }
        }.map { tone[$0].decibels }.max() ?? -.infinity
    }

    /// Frequencies in hertz that no program plays.
    private static let unusedFrequencies = [700, 2000, 4250]
    private static let minimumToneExcessInDecibels = 12.0

    /// Returns the levels of the tone with a frequency in hertz between two host times in nanoseconds.
    private func levels(ofFrequency frequency: Int, from start: Int64, to end: Int64) -> [Level] {
        let length = 960, step = 240, samples = recording.samples
        let firstSample = recording.index(at: max(start, recording.startTime)),
            endSample = recording.index(at: min(end, recording.time(of: samples.count)))
        guard endSample - firstSample >= length else { return [] }
        let angle = 2 * Double.pi * Double(frequency) / Double(AudioRecording.rate)
        let weights = (0..<length).map { i -> (Double, Double) in
            let window =
                0.42 - 0.5 * cos(2 * .pi * Double(i) / Double(length)) + 0.08
                * cos(4 * .pi * Double(i) / Double(length))
            return (window * cos(angle * Double(i)), window * sin(angle * Double(i)))
        }
        return stride(from: firstSample, through: endSample - length, by: step).map { windowStart in
            var (re, im) = (0.0, 0.0)
            for i in 0..<length {
                let sample = Double(samples[windowStart + i])
                re += sample * weights[i].0
                im += sample * weights[i].1
            }
            // 0.42 is the mean of the Blackman window. The tone files have an amplitude of 0.25.
            let amplitude = 2 * (re * re + im * im).squareRoot() / (0.42 * Double(length))
            return Level(
                time: recording.time(of: windowStart + length / 2), decibels: 20 * log10(max(amplitude / 0.25, 1e-7)))
        }
    }

    /// Returns the lowest and the highest level of a role's tone, in decibels, between two host times in nanoseconds.
    ///
    /// Returns infinities if this time was not recorded, so that checks for loudness and for silence both fail.
    func levelRange(of role: Role, from start: Int64, to end: Int64) -> (low: Double, high: Double) {
        let levels = self.levels(of: role, from: start, to: end).map(\.decibels)
        return (levels.min() ?? -.infinity, levels.max() ?? .infinity)
    }

    /// Returns the median level of a role's tone, in decibels, between two host times in nanoseconds; -infinity if this
    /// time was not recorded.
    func medianLevel(of role: Role, from start: Int64, to end: Int64) -> Double {
        let levels = self.levels(of: role, from: start, to: end).map(\.decibels).sorted()
        return levels.isEmpty ? -.infinity : levels[levels.count / 2]
    }

    /// Returns the host time, in nanoseconds, of the middle of the last window in which the role's tone is above
    /// `level`, in decibels.
    func lastTime(above level: Double, of role: Role) -> Int64? {
        levelsWithoutCuts(of: role).last { $0.decibels > level }?.time
    }
    /// Returns the host time of the first window, at or after host time `time`, in which the role's tone is above
    /// `level`, in decibels.
    func firstTime(above level: Double, of role: Role, after time: Int64 = 0) -> Int64? {
        levelsWithoutCuts(of: role).first { $0.decibels > level && $0.time >= time }?.time
    }
    /// Returns the host time of the first window, at or after host time `time`, in which the role's tone is below
    /// `level`, in decibels.
    func firstTime(below level: Double, of role: Role, after time: Int64) -> Int64? {
        levels(of: role).first { $0.decibels < level && $0.time >= time }?.time
    }

    /// Returns for how many milliseconds after host time `time` both roles' tones are louder than -40 dB.
    func overlapMilliseconds(_ one: Role, _ other: Role, after time: Int64 = 0) -> Double {
        Double(
            zip(levelsWithoutCuts(of: one), levelsWithoutCuts(of: other)).count {
                $0.decibels > -40 && $1.decibels > -40 && $0.time > time
            }) * 5
    }
}
