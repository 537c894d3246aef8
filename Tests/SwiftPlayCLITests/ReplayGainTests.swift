import Testing

@testable import SwiftPlayCLI

@Suite struct ReplayGainTests {
    private let tags = [
        "REPLAYGAIN_TRACK_GAIN": "-6.02 dB", "replaygain_track_peak": "0.5", "replaygain_album_gain": "+12 dB",
        "replaygain_album_peak": "0.5",
    ]

    @Test func theGainOfTheModeApplies() {
        #expect(ReplayGain().factor(metadata: tags) == 1)
        #expect(abs(ReplayGain(mode: .track).factor(metadata: tags) - 0.5) < 0.001)
        #expect(abs(ReplayGain(mode: .track, preamplification: 6.02).factor(metadata: tags) - 1) < 0.001)
    }

    @Test func theGainIsLimitedByThePeakUnlessClippingIsAllowed() {
        #expect(ReplayGain(mode: .album).factor(metadata: tags) == 2)
        #expect(abs(ReplayGain(mode: .album, allowsClipping: true).factor(metadata: tags) - 3.981) < 0.001)
    }

    @Test func filesWithoutValidValuesHaveTheFallback() {
        for text in ["", "loud", "nan dB"] {
            let gain = ReplayGain(mode: .track, fallback: -20).factor(metadata: ["replaygain_track_gain": text])
            #expect(abs(gain - 0.1) < 0.001)
        }
        #expect(ReplayGain(mode: .album).factor(metadata: ["replaygain_track_gain": "-20"]) < 0.11)
    }
}
