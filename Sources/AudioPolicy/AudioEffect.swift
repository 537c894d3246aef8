/// The effect on an active session when another program's session is activated.
package enum AudioEffect: Hashable, Sendable {
    case goesOn
    /// The session is lowered while the other is active.
    case ducked
    case interrupted

    /// A party of an effect: a program's session, or the system (a call).
    package enum Party: Hashable, Sendable {
        case program(AudioConfiguration)
        case system
    }

    /// Returns the effect of `new` on `old`, which is active and belongs to another program.
    package static func of(_ new: Party, on old: Party) -> AudioEffect {
        guard case .program(let new) = new else { return .interrupted }
        guard case .program(let old) = old else { return .goesOn }
        if new.interruptsSpoken, old.isSpoken { return .interrupted }
        // Ducking sessions do not lower each other, because both would become inaudible.
        if new.ducks, !old.ducks, old.hasOutput { return .ducked }
        return new.isMixable || old.isMixable ? .goesOn : .interrupted
    }

    /// Returns whether `new` starts lowered, because `old` ducks.
    package static func isBornDucked(_ new: AudioConfiguration, beside old: AudioConfiguration) -> Bool {
        old.ducks && !new.ducks && new.hasOutput
    }
}
