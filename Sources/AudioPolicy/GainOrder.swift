/// The gain that the rules between programs require of a render thread. An order is one 64-bit word, so that it can be
/// read from shared memory without a lock. All bits 0 is the initial order: open and not lowered.
///
/// The time makes a late reader safe: a process that was stopped sees that the fade has passed, and does not start it.
package struct GateOrder: Hashable, Sendable {
    package var isOpen: Bool
    /// The duration of the fade, up to 32 s.
    package var milliseconds: Int
    /// The host time at which the fade starts, in nanoseconds, stored in microseconds. An opening gate is silent before
    /// it.
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

/// The reduction of the gain.
package struct DuckOrder: Hashable, Sendable {
    /// The reduction in dB, 0 to 127.
    package var decibels: Int
    /// The duration of the ramp in milliseconds, in steps of 2, up to 1 s.
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
    /// 48 bits of microseconds are nine years of uptime.
    static func low(_ time: Int64) -> UInt64 { UInt64(max(time, 0) / 1000) & mask }
}
