import Testing

@testable import TransferPolicy

@Suite struct TransferMachineTests {
    @Test func aTransferRunsFromCreationToDelivery() {
        var machine = TransferMachine()
        #expect(machine.handle(.resume) == [])
        #expect(machine.state == .queued)
        #expect(machine.handle(.admit) == [.start(run: 1)])
        #expect(machine.handle(.engine(run: 1, .responded)) == [])
        #expect(machine.state == .receiving)
        #expect(machine.handle(.engine(run: 1, .bodyReceived)) == [.verify])
        #expect(machine.handle(.verified(isValid: true)) == [.publish])
        #expect(machine.handle(.published) == [.deliverFinished])
        #expect(machine.state == .finished)
        #expect(machine.handle(.acknowledge) == [.deletePart])
        #expect(machine.state == .delivered)
    }
}
