import AudioOutput
import AudioPolicy

/// The gain commands that the compositor sent to one audio session, and the shared memory page that carries them to its
/// program.
///
/// The program can overwrite the whole page. Therefore this object keeps the commands and never reads them back from
/// the page. A program has carried out its commands when it acknowledges exactly the commands in this object. Used by
/// the main thread.
final class IssuedGainCommands {
    /// The shared memory that the session's render threads read.
    private let gainPage: SharedGainPage
    /// The last command to open the session's gate (unmute it) or close it (mute it); `nil` before the first command.
    private(set) var gate: GateCommand?
    /// The last command to duck (attenuate) the session; `nil` before the first command.
    private(set) var duck: DuckCommand?
    /// Checks at the sound server that the session is silent while its gate is closed.
    private let silenceGate: SilenceCheck.Gate

    /// Creates the record of a session that has received no gain command; `gainPage` is the session's shared memory.
    init(_ gainPage: SharedGainPage, silenceGate: SilenceCheck.Gate) {
        (self.gainPage, self.silenceGate) = (gainPage, silenceGate)
        // A session that was never active must be silent.
        silenceGate.setGate(isOpen: false, isChecked: false)
    }

    /// Records that the session has become active.
    ///
    /// - Parameter isSilenced: Whether the silent switch or the screen lock keeps the session silent.
    func didActivate(isSilenced: Bool) { silenceGate.setGate(isOpen: !isSilenced, isChecked: isSilenced) }

    /// Sends a gate command to the session's render threads.
    ///
    /// - Parameters:
    ///   - command: The gate command.
    ///   - isChecked: Whether the sound server is queried for the program's silence after the gate closes.
    func issue(_ command: GateCommand, isChecked: Bool) {
        // The program acknowledges the gate command and the duck command together.
        if duck == nil { issue(DuckCommand(decibels: 0, milliseconds: 0, time: command.time)) }
        gate = command
        gainPage.set(command)
        silenceGate.setGate(isOpen: command.isOpen, isChecked: isChecked)
    }

    /// Sends a duck command to the session's render threads.
    func issue(_ command: DuckCommand) {
        duck = command
        gainPage.set(command)
    }

    /// Requests an early measurement whether the program is silent.
    func checkSilenceEarly() { silenceGate.checkEarly() }

    /// Whether the last gate command closes the gate, so that the session must be silent.
    var isClosed: Bool { gate?.isOpen == false }

    /// Whether the program's render threads have acknowledged the last gate and duck commands; true before the first
    /// gate command.
    var areAcknowledged: Bool {
        guard let gate, let duck else { return true }
        return gainPage.hasAcknowledged(gate, duck)
    }
}
