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

    @Test("the line has its width for every position, and its parts follow each other")
    func lineHasItsWidth() throws {
        let times = [-1e300, -1, 0, 0.1, 5, 9.99, 10, 1e300]
        for width in [1, 2, 24, 200] {
            for played in times {
                for loaded in [nil, .nan, .infinity] + times.map(Optional.some) {
                    let line = try #require(
                        ProgressText.line(played: played, loaded: loaded, duration: 10, width: width, isASCII: true))
                    #expect(line.count == width)
                    #expect(line.drop { $0 == "=" }.drop { $0 == "-" }.allSatisfy { $0 == "." }, "\(line)")
                }
            }
        }
    }

    @Test("without a known length, position or width there is no line")
    func unknownValuesHaveNoLine() {
        for duration in [0, -1, Double.nan, .infinity] {
            #expect(ProgressText.line(played: 0, loaded: nil, duration: duration) == nil)
        }
        #expect(ProgressText.line(played: .nan, loaded: nil, duration: 1) == nil)
        #expect(ProgressText.line(played: 0, loaded: nil, duration: 1, width: 0) == nil)
    }
}
