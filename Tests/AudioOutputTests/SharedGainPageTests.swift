import AudioPolicy
import SystemCalls
import Testing

@testable import AudioOutput

@Suite struct SharedGainPageTests {
    /// A request of the compositor to silence the session.
    private let closingGate = GateCommand(isOpen: false, milliseconds: 30, time: 1_000_000_000)
    /// A request of the compositor to lower the volume of the session.
    private let volumeReduction = DuckCommand(decibels: 14, milliseconds: 250, time: 2_000_000_000)

    @Test("A new page has an open gate, full volume and no pending command")
    func newPageHasAnOpenGateFullVolumeAndNoPendingCommand() throws {
        let page = try SharedGainPage()
        #expect(page.gate == GateCommand(isOpen: true, milliseconds: 0, time: 0))
        #expect(page.duck == DuckCommand(decibels: 0, milliseconds: 0, time: 0))
        #expect(page.hasAcknowledged(page.gate, page.duck))
    }

    @Test("The gate and the volume reduction are independent commands")
    func gateAndVolumeReductionAreIndependent() throws {
        let page = try SharedGainPage()
        page.set(closingGate)
        #expect(page.gate == closingGate && page.duck.decibels == 0)
        page.set(volumeReduction)
        #expect(page.gate == closingGate && page.duck == volumeReduction)
    }

    @Test("Both commands must be acknowledged")
    func gateAndVolumeReductionMustBothBeAcknowledged() throws {
        let page = try SharedGainPage()
        page.set(closingGate)
        page.set(volumeReduction)
        page.acknowledge((gate: closingGate.word, duck: 0))
        #expect(!page.hasAcknowledged(closingGate, volumeReduction))
        page.acknowledge((gate: 0, duck: volumeReduction.word))
        #expect(!page.hasAcknowledged(closingGate, volumeReduction))
        page.acknowledge(page.words)
        #expect(page.hasAcknowledged(closingGate, volumeReduction))
    }

    @Test("The acknowledgement of an older command does not count for a newer one")
    func newerGateIsNotAcknowledgedByAnOlderAcknowledgement() throws {
        let page = try SharedGainPage()
        page.set(closingGate)
        page.acknowledge(page.words)
        let newerGate = GateCommand(isOpen: false, milliseconds: 30, time: closingGate.time + 1_000_000)
        page.set(newerGate)
        #expect(!page.hasAcknowledged(newerGate, page.duck))
    }

    @Test("Both processes see the same page")
    func bothProcessesSeeTheSamePage() throws {
        let page = try SharedGainPage()
        let receivedPage = try SharedGainPage(received: FileDescriptor(duplicating: page.descriptor))
        page.set(closingGate)
        receivedPage.set(volumeReduction)
        #expect(receivedPage.gate == closingGate && page.duck == volumeReduction)
        receivedPage.acknowledge(receivedPage.words)
        #expect(page.hasAcknowledged(closingGate, volumeReduction))
    }

    @Test("Only the process that made the page has a descriptor to pass on")
    func onlyTheCreatorHasADescriptorToPassOn() throws {
        let page = try SharedGainPage()
        #expect(page.descriptor >= 0)
        let receivedPage = try SharedGainPage(received: FileDescriptor(duplicating: page.descriptor))
        #expect(receivedPage.descriptor == -1)
    }

    @Test("Memory of another size is refused", arguments: [4095, 4097, 8192])
    func memoryOfAnotherSizeIsRefused(_ size: Int) throws {
        let file = try MemoryFile(name: "page", size: size)
        #expect(throws: SystemCallError.self) {
            try SharedGainPage(received: FileDescriptor(duplicating: file.descriptor.raw))
        }
    }

    @Test("A descriptor that is not sealed memory is refused")
    func descriptorThatIsNotSealedMemoryIsRefused() throws {
        let event = try EventDescriptor()
        #expect(throws: SystemCallError.self) {
            try SharedGainPage(received: FileDescriptor(duplicating: event.raw))
        }
    }
}
