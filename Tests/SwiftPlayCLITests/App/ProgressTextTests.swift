import Testing

@testable import SwiftPlayCLI

@Suite struct ProgressTextTests {
    @Test(
        arguments: [
            (0, nil, 10, "··········"), (5, nil, 10, "━━━━━·····"), (5, 8, 10, "━━━━━───··"), (5, 2, 10, "━━━━━·····"),
            (20, 30, 10, "━━━━━━━━━━"), (-1, .infinity, 10, "··········"), (1, 1, 0, nil), (1, 1, .nan, nil),
        ] as [(Double, Double?, Double, String?)])
    func loadedPartFollowsThePlayedPart(played: Double, loaded: Double?, duration: Double, line: String?) {
        #expect(ProgressText.line(played: played, loaded: loaded, duration: duration, width: 10) == line)
    }
}
