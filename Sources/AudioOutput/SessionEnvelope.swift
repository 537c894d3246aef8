import AudioPolicy
import Glibc
import SystemCalls

/// One renderer's way along what ``SessionGain`` asks for, frame by frame. A value for the render thread.
///
/// It begins where the process stands: a sound that is born lowered never is louder.
struct SessionEnvelope {
    private let gain: SessionGain
    private let format: AudioFormat
    private var words: (gate: UInt64, duck: UInt64)
    private var duck = GainRamp()
    /// 0 is silent, 1 is open.
    private var openness = 1.0
    /// Of the openness, with each frame; below 0 while it closes.
    private var step = 0.0
    /// Host time before which nothing may be heard.
    private var opensAt: Int64 = 0

    /// An order that is older than its fade and this was not seen in time: the process was frozen, or had no sound.
    private static let lateness: Int64 = 100_000_000
    /// Sound that begins so soon after its gate opened fades in with it.
    private static let fresh: Int64 = 2_000_000_000

    init(_ gain: SessionGain, format: AudioFormat, now: Int64) {
        self.gain = gain
        self.format = format
        words = gain.words
        begin(now: now)
    }

    /// The sound begins anew, after a pause, say: nothing of what was asked meanwhile is made up for.
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
            // Who may be heard later was not heard before.
            if Self.isOver(order, now: now) || order.isOpen && opensAt > now { openness = 0 }
        }
        words = new
    }

    /// It closed so long ago that not even its fade may be heard.
    private static func isOver(_ order: GateOrder, now: Int64) -> Bool {
        !order.isOpen && now > order.time + Int64(order.milliseconds) * 1_000_000 + lateness
    }

    /// The gate closes, and its fade is not rendered to its end.
    func isClosing(now: Int64) -> Bool {
        let word = gain.words.gate, order = GateOrder(word: word)
        return !order.isOpen && !Self.isOver(order, now: now) && (word != words.gate || openness > 0)
    }

    /// What was rendered may not be handed over any more: the process was frozen in between, and its gate is closed.
    func forbids(now: Int64) -> Bool {
        let word = gain.words.gate
        return word != words.gate && Self.isOver(GateOrder(word: word), now: now)
    }

    /// Applies it to interleaved samples, all channels of a frame alike.
    ///
    /// - Parameter heardAt: host time at which the first of them is heard.
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
