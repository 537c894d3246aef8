/// What the rules between programs ask of a render thread. Each order is one word, so that it can be read from shared
/// memory without a lock; all bits 0 is the order that stands at the beginning: open, not lowered.
///
/// The time makes a late reader safe: a process that was frozen sees that the fade should be over, and does not begin
/// one.
package struct GateOrder: Hashable, Sendable {
    package var isOpen: Bool
    /// Length of the fade; up to 32 s.
    package var milliseconds: Int
    /// Host time at which the fade begins, nanoseconds; a gate that opens lets nothing be heard before it. Kept in
    /// microseconds.
    package var time: Int64

    package init(isOpen: Bool, milliseconds: Int, time: Int64) {
        (self.isOpen, self.milliseconds, self.time) = (isOpen, milliseconds, time)
    }

    package init(word: UInt64) {
        isOpen = word >> 63 == 0
        milliseconds = Int(word >> 48 & 0x7FFF)
        time = GainWord.time(of: word)
    }

    package var word: UInt64 {
        (isOpen ? 0 : 1 << 63) | UInt64(min(max(milliseconds, 0), 0x7FFF)) << 48 | GainWord.low(time)
    }
}

/// How far a sound is lowered.
package struct DuckOrder: Hashable, Sendable {
    /// By so much; 0 is as it was made. Up to 127.
    package var decibels: Int
    /// Length of the ramp, in steps of 2; up to 1 s.
    package var milliseconds: Int
    package var time: Int64

    package init(decibels: Int, milliseconds: Int, time: Int64) {
        (self.decibels, self.milliseconds, self.time) = (decibels, milliseconds, time)
    }

    package init(word: UInt64) {
        decibels = Int(word >> 57)
        milliseconds = Int(word >> 48 & 0x1FF) * 2
        time = GainWord.time(of: word)
    }

    package var word: UInt64 {
        UInt64(min(max(decibels, 0), 127)) << 57 | UInt64(min(max(milliseconds / 2, 0), 0x1FF)) << 48
            | GainWord.low(time)
    }
}

private enum GainWord {
    static let mask: UInt64 = 1 << 48 - 1
    static func time(of word: UInt64) -> Int64 { Int64(word & mask) * 1000 }
    /// Microseconds in 48 bits are nine years of a machine that runs.
    static func low(_ time: Int64) -> UInt64 { UInt64(max(time, 0) / 1000) & mask }
}
