import AudioPolicy
import Glibc
import SystemCalls

/// Applies the gain commands of ``SharedGainPage`` to a renderer's samples: a closed gate silences the audio session,
/// and ducking lowers its volume. For the render thread.
///
/// The envelope starts at the session's current gain, so that audio that starts during ducking is never heard at full
/// volume.
struct SessionEnvelope {
    /// The shared page with the gain commands.
    private let gainPage: SharedGainPage
    private let format: AudioFormat
    /// The gate and ducking commands that were read most recently, each as one word.
    private var commandWords: (gate: UInt64, duck: UInt64)
    /// The gain that ducking sets, with its ramp.
    private var duckingRamp = GainRamp()
    /// The progress of the fade that mutes or unmutes the session (its gate): 0 is silent, 1 is open.
    private var gateGain = 1.0
    /// The change of ``gateGain`` with each frame; negative while the gate closes.
    private var gateGainPerFrame = 0.0
    /// The host time before which an opening gate stays silent.
    private var openingTime: Int64 = 0

    /// If a command is read more than this time (in nanoseconds) after its fade should have ended, the command takes
    /// effect without the fade. This happens if the process was stopped or played nothing in the meantime.
    private static let lateThreshold: Int64 = 100_000_000
    /// The time after the opening of a gate within which starting audio fades in, in nanoseconds.
    private static let fadeInWindow: Int64 = 2_000_000_000

    init(_ gainPage: SharedGainPage, format: AudioFormat, now: Int64) {
        self.gainPage = gainPage
        self.format = format
        commandWords = gainPage.words
        restart(now: now)
    }

    /// Restarts at the session's current gain without a ramp, for example after a pause.
    mutating func restart(now: Int64) {
        commandWords = gainPage.words
        duckingRamp = GainRamp(Self.amplitude(DuckCommand(word: commandWords.duck)))
        let command = GateCommand(word: commandWords.gate)
        (gateGain, gateGainPerFrame, openingTime) = (0, 0, command.time)
        guard command.isOpen else { return }
        if command.milliseconds > 0, now < command.time + Self.fadeInWindow {
            gateGainPerFrame = gateGainChange(command)
        } else {
            gateGain = 1
        }
    }

    /// Returns the linear gain of a ducking command.
    private static func amplitude(_ command: DuckCommand) -> Double { pow(10, -Double(command.decibels) / 20) }

    /// Returns by how much ``gateGain`` changes with each audio frame while the gate fades in or out.
    private func gateGainChange(_ command: GateCommand) -> Double { 1 / Double(max(frames(command.milliseconds), 1)) }
    /// Returns the length of a fade in frames; fades last at least 5 ms.
    private func frames(_ milliseconds: Int) -> Int {
        format.frames(in: max(Int64(milliseconds) * 1_000_000, GainRamp.shortestNanoseconds))
    }

    /// Reads the shared page and starts the fades of changed commands.
    private mutating func readCommands(now: Int64) {
        let newWords = gainPage.words
        if newWords.duck != commandWords.duck {
            let command = DuckCommand(word: newWords.duck)
            let isLate = now > command.time + Int64(command.milliseconds) * 1_000_000 + Self.lateThreshold
            duckingRamp.setTarget(Self.amplitude(command), frames: frames(isLate ? 0 : command.milliseconds))
        }
        if newWords.gate != commandWords.gate {
            let command = GateCommand(word: newWords.gate)
            openingTime = command.time
            gateGainPerFrame = command.isOpen ? gateGainChange(command) : -gateGainChange(command)
            // A gate command may open the gate at a future time. Until then the gate stays closed.
            if Self.hasFinishedClosing(command, now: now) || command.isOpen && openingTime > now { gateGain = 0 }
        }
        commandWords = newWords
    }

    /// Returns whether a command closes the gate, and its fade ended more than ``lateThreshold`` ago.
    private static func hasFinishedClosing(_ command: GateCommand, now: Int64) -> Bool {
        !command.isOpen && now > command.time + Int64(command.milliseconds) * 1_000_000 + lateThreshold
    }

    /// Whether the gate is closing and its fade is not complete.
    func isClosing(now: Int64) -> Bool {
        let word = gainPage.words.gate, command = GateCommand(word: word)
        return !command.isOpen && !Self.hasFinishedClosing(command, now: now)
            && (word != commandWords.gate || gateGain > 0)
    }

    /// Whether rendered frames must be discarded, because the session's gate closed while the process was stopped.
    func mustDiscard(now: Int64) -> Bool {
        let word = gainPage.words.gate
        return word != commandWords.gate && Self.hasFinishedClosing(GateCommand(word: word), now: now)
    }

    /// Applies the gate and ducking to interleaved samples, and acknowledges the gate command and the duck command in
    /// the shared page.
    ///
    /// - Parameter heardAt: The host time at which the first frame is heard.
    mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int, now: Int64, heardAt: Int64)
    {
        readCommands(now: now)
        duckingRamp.apply(to: samples, frames: frames, channels: channels)
        if gateGainPerFrame < 0 || gateGain < 1 {
            var isWaiting = gateGainPerFrame > 0 && heardAt < openingTime
            if gateGain == 0,
                gateGainPerFrame <= 0 || isWaiting && heardAt + format.nanoseconds(of: frames) < openingTime
            {
                samples.update(repeating: 0, count: frames * channels)
                return gainPage.acknowledge(commandWords)
            }
            for frame in 0..<frames {
                if isWaiting, heardAt + format.nanoseconds(of: frame) >= openingTime { isWaiting = false }
                if !isWaiting { gateGain = min(max(gateGain + gateGainPerFrame, 0), 1) }
                let factor = Float(0.5 - 0.5 * cos(Double.pi * gateGain))
                for i in frame * channels..<(frame + 1) * channels { samples[i] *= factor }
            }
        }
        gainPage.acknowledge(commandWords)
    }
}
