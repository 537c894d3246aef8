import Testing

@testable import TransferPolicy

@Suite struct StoredTransferStateTests {
    @Test(arguments: TransferMachineTable.states + TransferFailureTests.failures.map { .failed($0) })
    func aStoredStateIsRestored(_ state: TransferState) {
        #expect(StoredTransferState(state).state == state)
    }

    @Test func namesAreUnique() {
        let states = TransferMachineTable.states + TransferFailureTests.failures.map { .failed($0) }
        #expect(Set(states.map { StoredTransferState($0).name }).count == Set(states).count)
    }

    @Test(
        arguments: [
            ("", nil), ("unknown", nil), ("waiting", nil), ("waiting:", nil), ("waiting:retry", nil),
            ("failed:write", nil),
            ("queued", 1), ("waiting:network", 3), ("waiting:disk", Int64.max), ("finished:disk", 28),
            ("failed:x", nil),
        ] as [(String, Int64?)])
    func damagedValuesAreRefused(_ name: String, _ number: Int64?) {
        #expect(StoredTransferState(name: name, number: number).state == nil)
    }

    @Test func theDiskErrorIsTheNumber() {
        let stored = StoredTransferState(.waiting(.disk(errorNumber: 28)))
        #expect(stored == StoredTransferState(name: "waiting:disk", number: 28))
    }

    @Test func nanosecondsAreClamped() {
        #expect(Duration.seconds(2).clampedNanoseconds == 2_000_000_000)
        #expect(Duration.nanoseconds(-7).clampedNanoseconds == -7)
        #expect(Duration.seconds(Int64.max).clampedNanoseconds == .max)
        #expect(Duration.seconds(Int64.min / 2).clampedNanoseconds == .min)
    }
}
