import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import TransferEngine

@Suite struct FileSynchronizerTests {
    /// Waits for a number of outcomes.
    private func outcomes(_ synchronizer: FileSynchronizer, count: Int) throws -> [FileSynchronizer.Outcome] {
        var outcomes: [FileSynchronizer.Outcome] = []
        let deadline = MonotonicTime.now + EngineFixture.patience
        while outcomes.count < count {
            guard try Poll.waitReadable(synchronizer.outcomeEvent.raw, until: deadline) else { break }
            outcomes += synchronizer.removeOutcomes()
        }
        return outcomes
    }

    @Test func filesAreSynchronisedInOrder() throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [1, 2, 3])
        let synchronizer = try FileSynchronizer()
        for transfer in 1...3 as ClosedRange<UInt64> {
            synchronizer.submit(
                .init(transfer: transfer, descriptor: file.descriptor, generation: 7, length: Int64(transfer)))
        }
        let outcomes = try outcomes(synchronizer, count: 3)
        #expect(outcomes.map(\.transfer) == [1, 2, 3] && outcomes.map(\.length) == [1, 2, 3])
        #expect(outcomes.allSatisfy { $0.error == nil && $0.generation == 7 })
    }

    @Test("a descriptor that cannot be synchronised is an error, and one without writeback is none")
    func synchronisationFailsAndWritebackIsLeftOut() throws {
        // A socket has nothing to synchronise.
        let unsyncable = SharedDescriptor(
            FileDescriptor(owning: try systemCall("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }))
        let synchronizer = try FileSynchronizer()
        for (transfer, work) in zip(1...2 as ClosedRange<UInt64>, [FileSynchronizer.Work.startWriteback, .synchronize])
        {
            synchronizer.submit(.init(transfer: transfer, descriptor: unsyncable, generation: 0, length: 5, work: work))
        }
        let outcomes = try outcomes(synchronizer, count: 1)
        #expect(outcomes.map(\.transfer) == [2] && outcomes.first?.error?.number == EINVAL)
    }

    @Test func writebackHasNoOutcome() throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [1, 2, 3])
        let synchronizer = try FileSynchronizer()
        let works: [FileSynchronizer.Work] = [.startWriteback, .synchronize]
        for (transfer, work) in zip(1...2 as ClosedRange<UInt64>, works) {
            synchronizer.submit(
                .init(transfer: transfer, descriptor: file.descriptor, generation: 0, length: 3, work: work))
        }
        #expect(try outcomes(synchronizer, count: 1).map(\.transfer) == [2])
    }
}
