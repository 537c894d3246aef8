/// What becomes of an active session when another program's is activated.
package enum AudioEffect: Hashable, Sendable {
    case goesOn
    /// It is lowered for as long as the other is active.
    case ducked
    case interrupted

    /// Who acts or is acted upon: a program's session, or the system (a call).
    package enum Party: Hashable, Sendable {
        case program(AudioConfiguration)
        case system
    }

    /// Of `new` on `old`, which is active and of another program.
    package static func of(_ new: Party, on old: Party) -> AudioEffect {
        guard case .program(let new) = new else { return .interrupted }
        guard case .program(let old) = old else { return .goesOn }
        if new.interruptsSpoken, old.isSpoken { return .interrupted }
        // Two that duck would make each other inaudible (D-8).
        if new.ducks, !old.ducks, old.hasOutput { return .ducked }
        return new.isMixable || old.isMixable ? .goesOn : .interrupted
    }

    /// `new` comes lowered into a world where `old` ducks.
    package static func isBornDucked(_ new: AudioConfiguration, beside old: AudioConfiguration) -> Bool {
        old.ducks && !new.ducks && new.hasOutput
    }
}
