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

    /// Returns the effect of an activation on a participant that is already active.
    ///
    /// - Parameters:
    ///   - activated: The participant that becomes active.
    ///   - active: The participant of another program that is already active.
    package static func of(_ activated: Participant, on active: Participant) -> SessionActivationEffect {
        guard case .program(let activated) = activated else { return .interrupted }
        guard case .program(let active) = active else { return .continues }
        if activated.interruptsSpokenAudio, active.isSpoken { return .interrupted }
        // Sessions that duck others do not duck each other, because both would become inaudible.
        if activated.ducksOthers, !active.ducksOthers, active.hasOutput { return .ducked }
        return activated.isMixable || active.isMixable ? .continues : .interrupted
    }

    /// Returns whether a newly activated session starts with ducked gain, because another program's active session
    /// ducks others.
    package static func startsDucked(_ activated: AudioConfiguration, beside active: AudioConfiguration) -> Bool {
        active.ducksOthers && !activated.ducksOthers && activated.hasOutput
    }
}
