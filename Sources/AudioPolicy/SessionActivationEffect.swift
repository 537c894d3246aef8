/// The effect on an active audio session when another program's session is activated.
package enum SessionActivationEffect: Hashable, Sendable {
    /// The active session stays audible, unchanged.
    case continues
    /// The active session is ducked (attenuated) while the newly activated session is active.
    case ducked
    /// The active session is interrupted until the newly activated session is deactivated or the phone call ends.
    case interrupted

    /// The cause or the target of an effect: a program's session, or the system (a phone call).
    package enum Participant: Hashable, Sendable {
        /// A program's session with this configuration.
        case program(AudioConfiguration)
        /// The system, for a phone call.
        case system
    }

    /// Returns the effect of activating `new` on `old`, which is active and belongs to another program.
    package static func of(_ new: Participant, on old: Participant) -> SessionActivationEffect {
        guard case .program(let new) = new else { return .interrupted }
        guard case .program(let old) = old else { return .continues }
        if new.interruptsSpokenAudio, old.isSpoken { return .interrupted }
        // Sessions that duck others do not duck each other, because both would become inaudible.
        if new.ducksOthers, !old.ducksOthers, old.hasOutput { return .ducked }
        return new.isMixable || old.isMixable ? .continues : .interrupted
    }

    /// Returns whether the session `new` starts with ducked gain, because the active session `old` ducks others.
    package static func startsDucked(_ new: AudioConfiguration, beside old: AudioConfiguration) -> Bool {
        old.ducksOthers && !new.ducksOthers && new.hasOutput
    }
}
