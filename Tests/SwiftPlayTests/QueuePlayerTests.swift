import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct QueuePlayerTests {
    /// Returns an item for a test clip.
    private func makeItem(_ name: String) throws -> PlayerItem { PlayerItem(location: try Fixtures.path(name)) }

    @Test func queueInsertsRemovesAndAdvancesItems() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try PlayerFixture()
            let itemA = try makeItem("short.mp4"), itemB = try makeItem("count30.mp4"),
                itemC = try makeItem("silent.mp4")
            fixture.player.insert(itemA, after: nil)
            fixture.player.insert(itemC, after: nil)
            fixture.player.insert(itemB, after: itemA)
            #expect(
                fixture.player.items().map(ObjectIdentifier.init) == [itemA, itemB, itemC].map(ObjectIdentifier.init))
            #expect(fixture.player.currentItem === itemA)
            #expect(!fixture.player.canInsert(itemB, after: nil))
            fixture.player.remove(itemB)
            #expect(fixture.player.items().map(ObjectIdentifier.init) == [itemA, itemC].map(ObjectIdentifier.init))
            #expect(fixture.player.canInsert(itemB, after: nil))
            fixture.player.advanceToNextItem()
            #expect(fixture.player.currentItem === itemC)
            try fixture.wait(for: "firstFrame")
            fixture.player.removeAllItems()
            #expect(fixture.player.items().isEmpty)
            let otherPlayer = try QueuePlayer()
            let isReleased: Bool? = Deadline.poll(for: .seconds(10)) {
                otherPlayer.canInsert(itemC, after: nil) ? true : nil
            }
            #expect(isReleased == true)
            otherPlayer.close()
        }
    }

    /// Records the samples that the player sends to the audio device.
    private final class SampleRecorder: Sendable {
        private let samples = Monitor<[Float]>([])
        /// Records the samples of one call of the tap.
        func add(_ slice: ArraySlice<Float>) { samples.withLock { $0 += slice } }
        /// All recorded samples, in order.
        var recordedSamples: [Float] { samples.withLock { $0 } }
    }

    /// Plays all items to their ends, and returns the player and the played samples.
    private func play(_ items: [PlayerItem], _ configure: (inout Player.Configuration) -> Void = { _ in }) throws -> (
        PlayerFixture, [Float]
    ) {
        let recorder = SampleRecorder()
        let fixture = try PlayerFixture(items) { configuration in
            configuration.sampleTap = { recorder.add($0) }
            configure(&configuration)
        }
        fixture.player.play()
        try fixture.wait(for: "playedToEnd", times: items.count)
        return (fixture, recorder.recordedSamples)
    }

    /// Two separately encoded halves of a tone play as the whole tone: no sample is missing or added, and there is no
    /// discontinuity between them.
    @Test(arguments: ["wav", "flac", "opus", "m4a", "mp3"])
    func audioOfTwoItemsJoinsWithSampleAccuracy(format: String) async throws {
        try await TestEnvironment.runExclusively {
            let (fixture, samples) = try play([makeItem("half-a.\(format)"), makeItem("half-b.\(format)")])
            #expect(fixture.count("playedToEnd") == 2)
            let leftSamples = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            #expect(leftSamples.count == 110_400)
            guard ["wav", "flac"].contains(format) else { return }
            // Compare the samples with the computed tone.
            var largestError: Float = 0
            for (index, sample) in leftSamples.enumerated() {
                let phase = Double(index) * 441 / 48_000
                let tone = 0.4 * sine(phase)
                largestError = max(largestError, abs(sample - Float(tone)))
            }
            #expect(largestError < 0.001)
        }
    }

    /// Returns sin(2π · `turns`), computed by its Taylor series to five digits.
    private func sine(_ turns: Double) -> Double {
        let x = (turns - turns.rounded()) * 2 * Double.pi
        var term = x, sum = x
        for n in 1..<12 {
            term *= -x * x / Double((2 * n) * (2 * n + 1))
            sum += term
        }
        return sum
    }

    @Test func audioRestartsIfGaplessAudioIsOff() async throws {
        try await TestEnvironment.runExclusively {
            let (fixture, samples) = try play([makeItem("half-a.wav"), makeItem("half-b.wav")]) {
                $0.gaplessAudio = .never
            }
            #expect(fixture.count("playedToEnd") == 2)
            #expect(samples.count / 2 == 110_400)
        }
    }

    @Test(.measuresTime) func videoOfQueuedItemsContinuesWithoutAFreeze() async throws {
        try await TestEnvironment.runExclusively {
            let items = try [makeItem("short.mp4"), makeItem("short.mp4"), makeItem("short.mp4")]
            let recorder = SampleRecorder()
            let fixture = try PlayerFixture(items) { $0.sampleTap = { recorder.add($0) } }
            fixture.player.play()
            try fixture.wait(for: "playedToEnd", times: 3)
            // The shown and the dropped pictures add up to all pictures of the three items. A freeze would drop many
            // pictures.
            let droppedFrameCount = fixture.player.statistics.framesDropped
            #expect(
                fixture.shownFrameTimes.count + droppedFrameCount == 180,
                "\(fixture.shownFrameTimes.count) shown, \(droppedFrameCount) dropped")
            #expect(droppedFrameCount <= 6)
            // Each item is shown from its beginning to its end, once, in order.
            let itemStarts = fixture.shownFrameTimes.indices.dropFirst().filter {
                fixture.shownFrameTimes[$0] < fixture.shownFrameTimes[$0 - 1]
            }
            #expect(itemStarts.count == 2, "\(fixture.shownFrameTimes)")
            for itemStart in itemStarts {
                #expect(fixture.shownFrameTimes[itemStart] <= 100_000_000)
                #expect(fixture.shownFrameTimes[itemStart - 1] >= 1_850_000_000)
            }
            #expect(fixture.count("itemChanged") >= 3)
            // The audio device receives one stream of samples without gaps.
            #expect(abs(recorder.recordedSamples.count / 2 - 3 * 96_000) < 3 * 1024)
        }
    }

    @Test(.measuresTime) func seekBackAtTheEndDiscardsTheNextItemsAudio() async throws {
        try await TestEnvironment.runExclusively {
            let firstItem = try makeItem("short.mp4")
            let fixture = try PlayerFixture([firstItem, try makeItem("count30.mp4")])
            fixture.player.play()
            try fixture.waitForFrames(58)
            #expect(await fixture.player.seekExactly(to: .zero))
            #expect(fixture.player.currentItem === firstItem)
            fixture.clearShownFrames()
            try fixture.waitForFrames(20)
            #expect(fixture.player.currentItem === firstItem)
            #expect(fixture.shownFrameTimes.prefix(20).allSatisfy { $0 < 1_900_000_000 })
            try fixture.wait(for: "playedToEnd")
            let currentItem = fixture.player.currentItem
            #expect(currentItem !== firstItem)
        }
    }

    @Test(.measuresTime) func queueChangeAtTheEndOfAnItemTakesEffect() async throws {
        try await TestEnvironment.runExclusively {
            let firstItem = try makeItem("short.mp4"), secondItem = try makeItem("half-a.wav")
            let thirdItem = try makeItem("silent.mp4")
            let fixture = try PlayerFixture([firstItem, secondItem])
            fixture.player.play()
            try fixture.waitForFrames(57)
            fixture.player.remove(secondItem)
            fixture.player.insert(thirdItem, after: nil)
            try fixture.wait(for: "playedToEnd")
            try fixture.wait(for: "firstFrame", times: 2)
            #expect(fixture.player.currentItem === thirdItem)
        }
    }

    @Test func queuedItemThatCannotBeOpenedFailsWhenItBecomesCurrent() async throws {
        try await TestEnvironment.runExclusively {
            let unreadableItem = try makeItem("text.mp4")
            let fixture = try PlayerFixture([try makeItem("half-a.wav"), unreadableItem])
            fixture.player.play()
            try fixture.wait(for: "itemFailed")
            #expect(fixture.count("playedToEnd") == 1)
            #expect(fixture.player.currentItem === unreadableItem)
            #expect(fixture.player.rate == 0)
        }
    }
}
