import Testing

@testable import SwiftPlayCLI

/// Compares the expansion of texts with that of mpv's command `expand-text`.
@Suite struct PropertyExpansionTests {
    private func expand(_ text: String) -> String {
        PropertyExpansion.expand(text) { name, isRaw in
            switch name {
            case "time-pos": .text(isRaw ? "2.000000" : "00:00:02")
            case "pause": .text("yes")
            case "chapter": .unavailable
            default: .unknown
            }
        }
    }

    @Test(arguments: [
        ("${time-pos} of ${=time-pos}", "00:00:02 of 2.000000"), ("$$ $}x $y $", "$ }x $y $"),
        ("${chapter}|${chapter:none}", "(unavailable)|none"), ("${nope}|${nope:zz}", "(error)|zz"),
        ("${?pause:A}${!pause:B}", "A"), ("${?chapter:A}${!chapter:B}", "B"),
        ("${?pause==yes:A}${?pause==no:B}${!pause==no:C}", "AC"), ("${!nope==x:A}", "A"),
        ("${chapter:${nope:${time-pos}}}!", "00:00:02!"), ("a $>${pause}", "a ${pause}"), ("${pause", "yes"),
        ("${?pause", ""), ("${", "(error)"), ("", ""), ("a}b", "a}b"), ("${pause:x}y", "yesy"),
    ])
    func textsAreExpandedAsInMPV(_ text: String, _ expansion: String) { #expect(expand(text) == expansion) }

    @Test func deepNestingEnds() {
        let text = String(repeating: "${chapter:", count: 100_000)
        #expect(expand(text).count < 1000)
    }
}
