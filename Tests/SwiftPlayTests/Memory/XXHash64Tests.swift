import Testing

@testable import SwiftPlay

@Suite struct XXHash64Tests {
    /// The expected results come from the reference implementation (libxxhash 0.8).
    @Test(
        arguments: [
            ("", 0xef46_db37_51d8_e999, 0xac75_fda2_929b_17ef),
            ("a", 0xd24e_c4f1_a98c_6e5b, 0x393d_a8b7_8992_279b),
            ("abc", 0x44bc_2cf5_ad77_0999, 0x1318_df30_094a_85fd),
            ("Nobody inspects the spammish repetition", 0xfbce_a83c_8a37_8bf1, 0x56db_22dd_5b05_1147),
        ] as [(String, UInt64, UInt64)])
    func hashesOfTextsMatchTheReference(_ text: String, _ unseededHash: UInt64, _ seededHash: UInt64) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { XXHash64.hash($0, seed: 0) } == unseededHash)
        #expect(bytes.withUnsafeBytes { XXHash64.hash($0, seed: 2_654_435_761) } == seededHash)
    }

    @Test func hashOfSeveralBlocksAndARemainderMatchesTheReference() {
        let bytes = Array(UInt8(0)..<101)
        #expect(bytes.withUnsafeBytes { XXHash64.hash($0, seed: 7) } == 0xe878_e979_1dbc_64fa)
    }
}
