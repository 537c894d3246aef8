import Testing

@testable import TransferPolicy

@Suite struct DiskPolicyTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let gibibyte: Int64 = 1 << 30

    @Test(
        arguments: [
            (100 * mebibyte, 0, 164 * mebibyte, DiskPolicy.Decision.start),
            (100 * mebibyte, 0, 164 * mebibyte - 1, .wait),
            (100 * mebibyte, 90 * mebibyte, 74 * mebibyte, .start),
            (50 * gibibyte, 0, 51 * gibibyte, .start), (50 * gibibyte, 0, 51 * gibibyte - 1, .wait),
            (500 * gibibyte, 0, 400 * gibibyte, .refuse),
        ] as [(Int64, Int64, Int64, DiskPolicy.Decision)])
    func aTransferNeedsItsRestAndAMargin(
        _ total: Int64, _ durable: Int64, _ free: Int64, _ decision: DiskPolicy.Decision
    ) {
        let result = DiskPolicy.decision(
            total: total, durableLength: durable, freeBytes: free, capacity: 400 * Self.gibibyte)
        #expect(result == decision)
    }

    @Test func anUnknownLengthNeedsTheMargin() {
        for (free, decision) in [(64 * Self.mebibyte, DiskPolicy.Decision.start), (64 * Self.mebibyte - 1, .wait)] {
            let result = DiskPolicy.decision(
                total: nil, durableLength: 0, freeBytes: free, capacity: Self.gibibyte)
            #expect(result == decision)
        }
    }

    @Test func aCompletePartNeedsNoSpace() {
        let result = DiskPolicy.decision(total: 100, durableLength: 100, freeBytes: 0, capacity: Self.gibibyte)
        #expect(result == .start)
    }

    @Test func hugeValuesDoNotOverflow() {
        let result = DiskPolicy.decision(total: .max, durableLength: .min, freeBytes: .max, capacity: .max)
        #expect(result == .wait)
    }

    @Test func theMarginIsTwoPercentOfLargeFiles() {
        #expect(DiskPolicy.margin(total: nil) == 64 * Self.mebibyte)
        #expect(DiskPolicy.margin(total: -1) == 64 * Self.mebibyte)
        #expect(DiskPolicy.margin(total: 50 * Self.gibibyte) == Self.gibibyte)
    }
}
