import Testing

@testable import SwiftPlayCLI

@Suite struct IgnoredOptionsTests {
    @Test(arguments: ["hwdec", "no-ytdl", "vf-add", "script-opts-append"])
    func optionsOfMPVWithoutAMeaningHereAreKnown(_ name: String) { #expect(IgnoredOptions.contains(name)) }

    @Test(arguments: ["", "pause", "hwdecc", "hwdec-often", "no-"]) func otherOptionsAreNotIgnored(_ name: String) {
        #expect(!IgnoredOptions.contains(name))
    }

    @Test func noOptionOfThisPlayerIsIgnored() {
        let help = PlayOptions.helpMessage(columns: 200)
        let names = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.filter { $0.hasPrefix("--") }
        let ignored = names.map { String($0.dropFirst(2)) }.filter { IgnoredOptions.contains($0) }
        #expect(names.count > 100 && ignored == [], "\(ignored)")
    }

    @Test(
        arguments: [
            ("vo", "gpu", nil), ("vo", "gpu,x11", "x11"), ("vo", "gpu:sw,tct", "tct"), ("vo", "gpu,vga", "gpu,vga"),
            ("vo", "", ""), ("ao", "pulse,null", "null"), ("ao", "pipewire", nil), ("ao", "alsa,pulse", "alsa"),
        ] as [(String, String, String?)])
    func theFirstOutputThatExistsHereIsChosen(_ option: String, _ value: String, _ output: String?) {
        #expect(IgnoredOptions.output(option, value) == output)
    }
}
