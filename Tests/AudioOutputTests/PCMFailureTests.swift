import Glibc
import Testing

@testable import AudioOutput

@Suite struct PCMFailureTests {
    private let operations = (0..<64).compactMap(PCMFailure.Operation.init(rawValue:))

    @Test("A failure stores the error number without its sign")
    func errorNumberIsStoredWithoutItsSign() {
        #expect(PCMFailure(.write, -EPIPE) == PCMFailure(.write, EPIPE))
        #expect(PCMFailure(.write, -EPIPE).errorNumber == EPIPE)
    }

    @Test("Every operation survives packing, with the smallest and the largest error number")
    func everyOperationAndErrorNumberSurvivesPacking() {
        for operation in operations {
            for code in [0, EPIPE, ENOTRECOVERABLE, Int32.max] {
                let failure = PCMFailure(operation, code)
                #expect(failure.packed > 0, "\(operation) \(code)")
                #expect(PCMFailure(packed: failure.packed) == failure)
            }
        }
        #expect(Set(operations.map { PCMFailure($0, EIO).packed }).count == operations.count)
    }

    @Test("A word without a known operation is no failure", arguments: [0, 5, -1, 64 << 32, Int.min])
    func packedNumberWithoutAKnownOperationIsNoFailure(_ word: Int) {
        #expect(PCMFailure(packed: word) == nil)
    }

    @Test("Each special error number has one meaning")
    func eachSpecialErrorNumberHasOneMeaning() {
        func meanings(_ code: Int32) -> [Bool] {
            let failure = PCMFailure(.timing, code)
            return [failure.isUnderrun, failure.isSuspended, failure.isClockDrift, failure.isTemporary]
        }
        #expect(meanings(EPIPE) == [true, false, false, false])
        #expect(meanings(ESTRPIPE) == [false, true, false, false])
        #expect(meanings(ETIME) == [false, false, true, false])
        #expect(meanings(EAGAIN) == [false, false, false, true])
        #expect(meanings(EIO) == [false, false, false, false])
    }

    @Test("A removed device and a wrong clock are final in every operation", arguments: [ENODEV, EBADFD, ETIME])
    func removalAndWrongClockAreFinalInEveryOperation(_ code: Int32) {
        for operation in operations { #expect(PCMFailure(operation, code).isFinal, "\(operation)") }
    }

    @Test("An underrun or an I/O error is final only while the device is prepared", arguments: [EPIPE, EIO, EBUSY])
    func underrunAndIOErrorAreFinalOnlyDuringPreparation(_ code: Int32) {
        for operation in operations {
            #expect(PCMFailure(operation, code).isFinal == (operation == .prepare), "\(operation)")
        }
    }

    @Test("A call that can be repeated is never final", arguments: [EAGAIN, EINTR])
    func failureOfARepeatableOperationIsNeverFinal(_ code: Int32) {
        for operation in operations { #expect(!PCMFailure(operation, code).isFinal, "\(operation)") }
    }
}
