import Testing

@testable import SwiftPlayCLI

@Suite struct StatusTextTests {
    /// The line of a status in a terminal with 80 columns.
    private func line(_ text: StatusText, columns: Int = 80, isASCII: Bool = true) -> String {
        text.line(columns: columns, isASCII: isASCII)
    }

    @Test func theLineShowsStateTimeLengthAndBar() {
        var text = StatusText(state: .playing, hasVideo: true, hasAudio: true, time: 90, duration: 180)
        let half = String(repeating: "=", count: 20) + String(repeating: ".", count: 20)
        #expect(line(text) == "AV: 00:01:30 / 00:03:00 (50%) " + half)
        (text.state, text.hasVideo) = (.paused, false)
        #expect(line(text).hasPrefix("(Paused) A: 00:01:30 / 00:03:00 (50%) ="))
        text.state = .buffering(percent: 40)
        #expect(line(text).hasPrefix("(Buffering 40%) A: 00:01:30 / "))
        text.state = .buffering(percent: nil)
        text.message = "Volume: 80%"
        #expect(line(text).hasPrefix("Volume: 80% (Buffering) A: 00:01:30 / "))
    }

    @Test func theLineHasNoBarWithoutLengthOrRoom() {
        var text = StatusText(hasAudio: true, time: 5)
        #expect(line(text) == "A: 00:00:05")
        text.duration = 10
        #expect(line(text, columns: 30) == "A: 00:00:05 / 00:00:10 (50%)")
        #expect(line(text, columns: 40).count == 39)
        #expect(line(StatusText(state: .idle)) == "(Idle)")
        #expect(line(StatusText(state: .opening)) == "(Opening)")
    }

    @Test(
        arguments: [
            ([:], true), (["LANG": "C"], true), (["LANG": "de_DE.UTF-8"], false), (["LANG": "C.utf8"], false),
            (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], true), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], false),
        ] as [([String: String], Bool)])
    func theLocaleDecidesAboutTheCharacters(_ environment: [String: String], _ expected: Bool) {
        #expect(StatusText.isASCII { environment[$0] } == expected)
    }

    @Test("the percentage stays between 0 and 100", arguments: [(-5.0, 0), (0.0, 0), (99.99, 99), (500.0, 100)])
    func percentageIsClamped(_ time: Double, _ percent: Int) {
        #expect(line(StatusText(time: time, duration: 100)).contains(" / 00:01:40 (\(percent)%)"))
    }

    @Test("a line with a bar leaves a column of its terminal free")
    func lineWithABarFits() {
        for columns in 0...120 {
            for message in [nil, "Volume: 80%", "ö"] {
                let text = StatusText(state: .paused, time: 30, duration: 60, loadedEnd: 45, message: message)
                for isASCII in [false, true] {
                    let line = line(text, columns: columns, isASCII: isASCII)
                    let hasBar = line.contains("=") || line.contains("━")
                    #expect(!hasBar || line.count < columns)
                }
            }
        }
    }
}
