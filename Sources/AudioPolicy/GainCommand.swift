/// A gain command to the render threads of a session: opens the session's gate (unmutes it) or closes the gate (mutes
/// it). A command is one 64-bit word, so that render threads can read it from shared memory without a lock. All bits 0
/// is the initial command: open.
///
/// A process that was stopped (SIGSTOP) may read a command late. From the command's time it recognises that the fade
/// has ended meanwhile, and applies the end state at once.
package struct GateCommand: Hashable, Sendable {
    /// Whether the command opens the gate (unmutes the session); otherwise it closes the gate.
    package var isOpen: Bool
    /// The duration of the fade in milliseconds, up to 32 s.
    package var milliseconds: Int
    /// The host time at which the fade starts, in nanoseconds; the encoding has microsecond precision. If the command
    /// unmutes the session, the audio stays silent until this time.
    package var time: Int64

    package init(isOpen: Bool, milliseconds: Int, time: Int64) {
        (self.isOpen, self.milliseconds, self.time) = (isOpen, milliseconds, time)
    }

    /// Decodes a gate command from its 64-bit word in shared memory.
    package init(word: UInt64) {
        isOpen = word >> 63 == 0
        milliseconds = Int(word >> 48 & 0x7FFF)
        time = GainWord.nanoseconds(of: word)
    }

    /// The gate command encoded as one 64-bit word, as stored in shared memory.
    package var word: UInt64 {
        (isOpen ? 0 : 1 << 63) | UInt64(min(max(milliseconds, 0), 0x7FFF)) << 48 | GainWord.timeBits(of: time)
    }
}

/// A gain command to the render threads of a session: ducks (attenuates) the session, linearly in dB. All bits 0 is the
/// initial command: not ducked.
package struct DuckCommand: Hashable, Sendable {
    /// The reduction in dB, 0 to 127.
    package var decibels: Int
    /// The duration of the ramp in milliseconds, in steps of 2, up to 1 s.
    package var milliseconds: Int
    /// The host time at which the ramp starts, in nanoseconds; the encoding has microsecond precision.
    package var time: Int64

    package init(decibels: Int, milliseconds: Int, time: Int64) {
        (self.decibels, self.milliseconds, self.time) = (decibels, milliseconds, time)
    }

    /// Decodes a duck command from its 64-bit word in shared memory.
    package init(word: UInt64) {
        decibels = Int(word >> 57)
        milliseconds = Int(word >> 48 & 0x1FF) * 2
        time = GainWord.nanoseconds(of: word)
    }

    /// The duck command encoded as one 64-bit word, as stored in shared memory.
    package var word: UInt64 {
        UInt64(min(max(decibels, 0), 127)) << 57 | UInt64(min(max(milliseconds / 2, 0), 0x1FF)) << 48
            | GainWord.timeBits(of: time)
    }
}

/// The encoding of a gain command's time, which gate and duck commands store in the lower 48 bits of their word.
private enum GainWord {
    /// The bits of a command's word that hold the time.
    static let timeMask: UInt64 = 1 << 48 - 1
    /// Returns the time that a command's word holds, in nanoseconds.
    static func nanoseconds(of word: UInt64) -> Int64 { Int64(word & timeMask) * 1000 }
    /// Returns the bits that encode a time in nanoseconds. 48 bits of microseconds are nine years of uptime.
    static func timeBits(of time: Int64) -> UInt64 { UInt64(max(time, 0) / 1000) & timeMask }
}
