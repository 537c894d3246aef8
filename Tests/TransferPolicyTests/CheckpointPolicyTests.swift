import Testing

@testable import TransferPolicy

@Suite struct CheckpointPolicyTests {
    private static let mebibyte: Int64 = 1024 * 1024

    @Test(arguments: [
        (8 * mebibyte, 1.0, true), (8 * mebibyte, 0.9, false), (8 * mebibyte - 1, 4.9, false), (1, 5, true),
        (0, 100, false), (-1, 100, false), (100 * mebibyte, 0.5, false),
    ])
    func checkpointsAreDueByBytesAndTime(_ newBytes: Int64, _ seconds: Double, _ isDue: Bool) {
        #expect(CheckpointPolicy.isDue(newBytes: newBytes, elapsed: .seconds(seconds)) == isDue)
    }

    @Test(arguments: [(Int64(1), 2.0, 3.0), (8 * mebibyte, 0.25, 0.75), (8 * mebibyte, 2, 0)])
    func theDelayEndsWhenTheCheckpointIsDue(_ newBytes: Int64, _ elapsed: Double, _ delay: Double) {
        #expect(CheckpointPolicy.delay(newBytes: newBytes, elapsed: .seconds(elapsed)) == .seconds(delay))
        #expect(CheckpointPolicy.isDue(newBytes: newBytes, elapsed: .seconds(elapsed + delay)))
    }

    @Test func withoutNewBytesThereIsNoCheckpoint() {
        #expect(CheckpointPolicy.delay(newBytes: 0, elapsed: .seconds(100)) == nil)
    }
}
