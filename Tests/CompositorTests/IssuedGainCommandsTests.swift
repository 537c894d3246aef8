import AudioOutput
import AudioPolicy
import SystemCalls
import Testing

@testable import Compositor

@Suite struct IssuedGainCommandsTests {
    @Test("values that a program writes into its page do not count as commands")
    func valuesThatTheProgramWritesIntoItsPageAreIgnored() throws {
        let page = try SharedGainPage()
        page.set(GateCommand(isOpen: false, milliseconds: 30, time: 1_000_000))
        page.set(DuckCommand(decibels: 14, milliseconds: 0, time: 1_000_000))
        let receivedPage = try SharedGainPage(received: FileDescriptor(duplicating: page.descriptor))
        let commands = IssuedGainCommands(receivedPage, silenceGate: SilenceCheck { _, _ in }.gate(of: 0))
        #expect(commands.gate == nil && commands.duck == nil && !commands.isClosed && commands.areAcknowledged)
        // The first gate command also sets the duck command, because both are acknowledged together.
        let openCommand = GateCommand(isOpen: true, milliseconds: 0, time: 2_000_000)
        commands.issue(openCommand, isChecked: false)
        #expect(page.gate == openCommand && page.duck.decibels == 0)
        #expect(commands.duck == page.duck && !commands.areAcknowledged)
    }
}
