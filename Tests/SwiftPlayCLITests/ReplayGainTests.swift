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

    @Test("the gain is limited to 60 dB, and the preamplification does not apply to the fallback")
    func gainIsLimited() {
        let gain = ReplayGain(mode: .track, preamplification: 40, allowsClipping: true, fallback: 6)
        #expect(gain.factor(metadata: ["replaygain_track_gain": "40 dB"]) == 1000)
        #expect(abs(gain.factor(metadata: [:]) - 1.995) < 0.001)
        #expect(ReplayGain(mode: .track, fallback: .infinity).factor(metadata: [:]) == 1000)
        let quietFactor = gain.factor(metadata: ["replaygain_track_gain": "-1e9 dB"])
        #expect(quietFactor > 0 && quietFactor < 1e-9)
    }

    @Test("an invalid value of the album counts as missing, together with its peak")
    func trackStandsInForAnInvalidAlbum() {
        let tags = [
            "replaygain_album_gain": "loud", "replaygain_album_peak": "0.01", "replaygain_track_gain": "6.02",
            "replaygain_track_peak": "0.1",
        ]
        #expect(abs(ReplayGain(mode: .album).factor(metadata: tags) - 2) < 0.001)
    }

    @Test("a peak that is no positive number limits nothing", arguments: ["0", "-1", "nan", "", "loud"])
    func invalidPeaksLimitNothing(_ peak: String) {
        let tags = ["replaygain_track_gain": "20 dB", "replaygain_track_peak": peak]
        #expect(ReplayGain(mode: .track).factor(metadata: tags) == 10)
    }
}
