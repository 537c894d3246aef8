import SharedFrames
import Testing

@testable import MediaPipeline
@testable import SwiftPlay

@Suite struct QualityChoicesTests {
    /// Returns a variant with the given bit rate and size.
    private func variant(_ index: Int, _ bandwidth: Int, _ width: Int = 0, _ height: Int = 0) -> StreamVariant {
        StreamVariant(index: index, bandwidth: bandwidth, size: PixelSize(width: width, height: height))
    }

    /// The variants of a test stream; two of them have the same description.
    private var variants: [StreamVariant] {
        [
            variant(0, 845_400, 640, 360), variant(1, 5_240_000, 1920, 1080), variant(2, 5_240_000, 1920, 1080),
            variant(3, 2_800_000, 720, 1280), variant(4, 128_000),
        ]
    }

    @Test func variantsAreListedOnceWithTheBestFirst() {
        var variants = variants
        variants[3].frameRate = 59.94
        variants.append(variant(5, 9_000_000, 3840, 2160))
        variants[5].isPlayable = false
        let choices = QualityChoices(variants, selectedIndex: nil)
        #expect(choices.options.map(\.index) == [1, 3, 0, 4])
        #expect(choices.options.map(\.name) == ["1080p", "720p60", "360p", "128 kb/s"])
        #expect(
            choices.options.map(\.description) == [
                "1080p (1920x1080, 5.2 Mb/s)", "720p60 (720x1280, 2.8 Mb/s)", "360p (640x360, 845 kb/s)", "128 kb/s",
            ])
        #expect(QualityChoices([variants[0]], selectedIndex: nil).isEmpty && !choices.isEmpty)
    }

    @Test func steppingCyclesThroughTheVariantsAndTheAutomaticChoice() {
        var selectedIndex: Int?, selections: [Int?] = []
        for _ in 0..<6 {
            selectedIndex = QualityChoices(variants, selectedIndex: selectedIndex).choice(after: 1)
            selections.append(selectedIndex)
        }
        #expect(selections == [1, 3, 0, 4, nil, 1])
        #expect(QualityChoices(variants, selectedIndex: nil).choice(after: -1) == 4)
        #expect(QualityChoices(variants, selectedIndex: 1).choice(after: -1) == nil)
        #expect(QualityChoices(variants, selectedIndex: 0).choice(after: -11) == 3)
    }

    @Test func selectionHasANameAndADescription() {
        #expect(QualityChoices(variants, selectedIndex: 3).name == "720p")
        #expect(QualityChoices(variants, selectedIndex: nil).name == "auto")
        #expect(QualityChoices(variants, selectedIndex: nil, StreamPreference(), 0).description == "automatic (360p)")
        #expect(QualityChoices(variants, selectedIndex: nil).description == "automatic")
        // A variant number that the stream does not have is ignored.
        #expect(QualityChoices(variants, selectedIndex: 9).selectedIndex == nil)
        #expect(QualityChoices(variants, selectedIndex: nil, StreamPreference(.highest)).name == "1080p")
        #expect(QualityChoices(variants, selectedIndex: 0, StreamPreference(.lowest)).name == "360p")
    }

    @Test(arguments: [(0, "0 kb/s"), (999_499, "999 kb/s"), (999_500, "1.0 Mb/s"), (12_349_999, "12.3 Mb/s")])
    func bitRatesAreRoundedToKilobitsOrTenthsOfMegabits(rate: Int, text: String) {
        #expect(QualityChoices.Option.bitRate(rate) == text)
    }
}
