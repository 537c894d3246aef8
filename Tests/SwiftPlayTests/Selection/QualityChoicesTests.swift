import SharedFrames
import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite struct QualityChoicesTests {
    private func variant(_ index: Int, _ bandwidth: Int, _ width: Int = 0, _ height: Int = 0) -> StreamVariant {
        StreamVariant(index: index, bandwidth: bandwidth, size: PixelSize(width: width, height: height))
    }

    private var ladder: [StreamVariant] {
        [
            variant(0, 845_400, 640, 360), variant(1, 5_240_000, 1920, 1080), variant(2, 5_240_000, 1920, 1080),
            variant(3, 2_800_000, 720, 1280), variant(4, 128_000),
        ]
    }

    @Test func variantsAreListedOnceWithTheBestFirst() {
        var variants = ladder
        variants[3].frameRate = 59.94
        variants.append(variant(5, 9_000_000, 3840, 2160))
        variants[5].isPlayable = false
        let choices = QualityChoices(variants, selected: nil)
        #expect(choices.options.map(\.index) == [1, 3, 0, 4])
        #expect(choices.options.map(\.name) == ["1080p", "720p60", "360p", "128 kb/s"])
        #expect(
            choices.options.map(\.description) == [
                "1080p (1920x1080, 5.2 Mb/s)", "720p60 (720x1280, 2.8 Mb/s)", "360p (640x360, 845 kb/s)", "128 kb/s",
            ])
        #expect(QualityChoices([ladder[0]], selected: nil).isEmpty && !choices.isEmpty)
    }

    @Test func steppingGoesRoundThroughTheAutomaticChoice() {
        var selected: Int?, seen: [Int?] = []
        for _ in 0..<6 {
            selected = QualityChoices(ladder, selected: selected).choice(after: 1)
            seen.append(selected)
        }
        #expect(seen == [1, 3, 0, 4, nil, 1])
        #expect(QualityChoices(ladder, selected: nil).choice(after: -1) == 4)
        #expect(QualityChoices(ladder, selected: 1).choice(after: -1) == nil)
        #expect(QualityChoices(ladder, selected: 0).choice(after: -11) == 3)
    }

    @Test func theSelectionIsNamed() {
        #expect(QualityChoices(ladder, selected: 3).name == "720p")
        #expect(QualityChoices(ladder, selected: nil).name == "auto")
        #expect(QualityChoices(ladder, selected: nil, StreamPreference(), 0).description == "automatic (360p)")
        #expect(QualityChoices(ladder, selected: nil).description == "automatic")
        // A variant number that the stream does not have is ignored.
        #expect(QualityChoices(ladder, selected: 9).selected == nil)
        #expect(QualityChoices(ladder, selected: nil, StreamPreference(.highest)).name == "1080p")
        #expect(QualityChoices(ladder, selected: 0, StreamPreference(.lowest)).name == "360p")
    }

    @Test(arguments: [(0, "0 kb/s"), (999_499, "999 kb/s"), (999_500, "1.0 Mb/s"), (12_349_999, "12.3 Mb/s")])
    func bitRatesAreRounded(rate: Int, text: String) {
        #expect(QualityChoices.Option.bitRate(rate) == text)
    }
}
