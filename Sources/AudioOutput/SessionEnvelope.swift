import AudioPolicy
import Glibc
import SystemCalls

/// The gain of ``SessionGain`` for a renderer, frame by frame. For the render thread.
///
/// It starts at the current gain of the process: audio that starts lowered is never louder.
struct SessionEnvelope {
    private let gain: SessionGain
    private let format: AudioFormat
    private var words: (gate: UInt64, duck: UInt64)
    private var duck = GainRamp()
    /// The openness: 0 is silent, 1 is open.
    private var openness = 1.0
    /// The change of the openness with each frame; negative while it closes.
    private var step = 0.0
    /// The host time before which audio must be silent.
    private var opensAt: Int64 = 0

    /// The age, beyond its fade, at which an order was not read in time, because the process was stopped or silent.
    private static let lateness: Int64 = 100_000_000
    /// The time after the opening of a gate within which audio that starts fades in with it.
    private static let fresh: Int64 = 2_000_000_000

    init(_ gain: SessionGain, format: AudioFormat, now: Int64) {
        self.gain = gain
        self.format = format
        words = gain.words
        begin(now: now)
    }

    /// Restarts, for example after a pause, at the current gain, without a ramp.
    mutating func begin(now: Int64) {
        words = gain.words
        duck = GainRamp(Self.amplitude(DuckOrder(word: words.duck)))
        let order = GateOrder(word: words.gate)
        (openness, step, opensAt) = (0, 0, order.time)
        guard order.isOpen else { return }
        if order.milliseconds > 0, now < order.time + Self.fresh { step = stepOpening(order) } else { openness = 1 }
    }

    private static func amplitude(_ order: DuckOrder) -> Double { pow(10, -Double(order.decibels) / 20) }

    private func stepOpening(_ order: GateOrder) -> Double { 1 / Double(max(frames(order.milliseconds), 1)) }
    private func frames(_ milliseconds: Int) -> Int {
        format.frames(in: max(Int64(milliseconds) * 1_000_000, GainRamp.shortestNanoseconds))
    }

    private mutating func look(now: Int64) {
        let new = gain.words
        if new.duck != words.duck {
            let order = DuckOrder(word: new.duck)
            let isLate = now > order.time + Int64(order.milliseconds) * 1_000_000 + Self.lateness
            duck.retarget(Self.amplitude(order), frames: frames(isLate ? 0 : order.milliseconds))
        }
        if new.gate != words.gate {
            let order = GateOrder(word: new.gate)
            opensAt = order.time
            step = order.isOpen ? stepOpening(order) : -stepOpening(order)
            // A gate that opens later was closed before.
            if Self.isOver(order, now: now) || order.isOpen && opensAt > now { openness = 0 }
        }
        words = new
    }

    /// The gate closed so long ago that even its fade is over.
    private static func isOver(_ order: GateOrder, now: Int64) -> Bool {
        !order.isOpen && now > order.time + Int64(order.milliseconds) * 1_000_000 + lateness
    }

    /// Whether the gate is closing and its fade is not complete.
    func isClosing(now: Int64) -> Bool {
        let word = gain.words.gate, order = GateOrder(word: word)
        return !order.isOpen && !Self.isOver(order, now: now) && (word != words.gate || openness > 0)
    }

    /// Whether rendered frames must be discarded, because the process was stopped meanwhile and its gate is closed.
    func forbids(now: Int64) -> Bool {
        let word = gain.words.gate
        return word != words.gate && Self.isOver(GateOrder(word: word), now: now)
    }

    /// Applies the gain to interleaved samples.
    ///
    /// - Parameter heardAt: The host time at which the first frame is heard.
    mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int, channels: Int, now: Int64, heardAt: Int64)
    {
        look(now: now)
        duck.apply(to: samples, frames: frames, channels: channels)
        if step < 0 || openness < 1 {
            var isWaiting = step > 0 && heardAt < opensAt
            if openness == 0, step <= 0 || isWaiting && heardAt + format.nanoseconds(of: frames) < opensAt {
                samples.update(repeating: 0, count: frames * channels)
                return gain.obeyed(words)
            }
            for frame in 0..<frames {
                if isWaiting, heardAt + format.nanoseconds(of: frame) >= opensAt { isWaiting = false }
                if !isWaiting { openness = min(max(openness + step, 0), 1) }
                let factor = Float(0.5 - 0.5 * cos(Double.pi * openness))
                for i in frame * channels..<(frame + 1) * channels { samples[i] *= factor }
            }
        }
        gain.obeyed(words)
    }
}
