import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct PlayerItemTests {
    @Test func propertiesAreUnknownUntilTheItemIsOpen() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("short.mp4"))
            #expect(item.status == .unknown)
            #expect(item.duration.isIndefinite)
            #expect(item.presentationSize == .zero)
            #expect(item.loadedTimeRanges.isEmpty && item.seekableTimeRanges.isEmpty)
            #expect(item.isPlaybackBufferEmpty && !item.isPlaybackBufferFull && !item.isPlaybackLikelyToKeepUp)
            #expect(!item.canStepForward && !item.canPlayFastForward)
            #expect(item.accessLog() == nil && item.errorLog() == nil)
            #expect(!item.currentTime().isValid)
        }
    }

    @Test func itemHasThePropertiesOfItsFile() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("chapters.mkv"))
            let fixture = try PlayerFixture([item])
            try fixture.wait(for: "firstFrame")
            #expect(item.status == .readyToPlay)
            #expect(abs(item.duration.seconds - 2) < 0.1)
            #expect(item.presentationSize == VideoSize(width: 640, height: 360))
            #expect(item.seekableTimeRanges == [MediaTimeRange(start: .zero, duration: item.duration)])
            #expect(item.canStepForward && item.canStepBackward && item.canPlaySlowForward && !item.canPlayReverse)
            #expect(item.chapters.map(\.title) == ["One", "Two", "Three"])
            #expect(item.chapters.map(\.timeRange.start.seconds) == [0, 0.6, 1.2])
            #expect(item.metadata.first { $0.key == "artist" }?.stringValue == "Nobody")
            #expect(item.title == "A clip")
            item.externalMetadata = [MetadataItem(key: MetadataItem.Key.title, stringValue: "Better")]
            #expect(item.title == "Better")
            let isFull: Bool? = Deadline.poll(for: .seconds(30)) {
                item.isPlaybackBufferFull && item.isPlaybackLikelyToKeepUp ? true : nil
            }
            #expect(isFull == true)
            #expect(item.loadedTimeRanges.count == 1)
            #expect(!item.isPlaybackBufferEmpty)
        }
    }

    @Test func accessLogRecordsPlaybackAndSeeks() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
            let fixture = try PlayerFixture([item])
            fixture.player.actionAtItemEnd = .pause
            fixture.player.play()
            try fixture.wait(for: "accessLogged")
            try fixture.waitForFrames(10)
            let firstEvents = try #require(item.accessLog()?.events)
            #expect(firstEvents.count == 1)
            #expect(firstEvents[0].playbackType == "FILE")
            #expect(firstEvents[0].startupTime >= 0 && firstEvents[0].durationWatched > 0)
            #expect(await fixture.player.seekExactly(to: MediaTime(value: 10, timescale: 1)))
            try fixture.wait(for: "accessLogged", times: 2)
            let events = try #require(item.accessLog()?.events)
            #expect(events.count == 2)
            #expect(abs(events[1].playbackStartOffset - 10) < 0.1)
            #expect(events[0].numberOfBytesTransferred > 0)
            let text = try #require(item.accessLog()?.extendedLogData())
            #expect(text.split(separator: "\n").count == 4)
        }
    }

    @Test func missingSubtitleFileDoesNotFailTheItem() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("short.mp4"))
            item.addSubtitles(location: "/nowhere/missing.srt")
            let fixture = try PlayerFixture([item])
            fixture.player.actionAtItemEnd = .pause
            fixture.player.play()
            try fixture.wait(for: "playedToEnd")
            #expect(fixture.count("failedToPlayToEnd") == 0)
            #expect(item.status == .readyToPlay && item.error == nil)
            let comments = try #require(item.errorLog()?.events.map(\.errorComment))
            #expect(comments.contains { $0.contains("missing.srt") }, "\(comments)")
        }
    }

    @Test func failureToOpenAnItemIsLogged() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("text.mp4"))
            let fixture = try PlayerFixture([item])
            try fixture.wait(for: "itemFailed")
            #expect(item.status == .failed)
            let errors = try #require(item.errorLog()?.events)
            #expect(errors.count == 1)
            #expect(errors[0].errorStatusCode == PlaybackError.Code.notMedia.rawValue)
        }
    }

    @Test func videoOutputsReceiveEachPictureOnce() async throws {
        try await TestEnvironment.runExclusively {
            let item = PlayerItem(location: try Fixtures.path("count30.mp4"))
            let fixture = try PlayerFixture([item])
            let firstOutput = PlayerItemVideoOutput(), secondOutput = PlayerItemVideoOutput()
            item.add(firstOutput)
            item.add(secondOutput)
            // The player reports the first frame of an item before it reports that the frame is presented.
            try fixture.waitForFrames(1)
            #expect(firstOutput.hasNewPixelBuffer(forItemTime: .zero))
            let picture = try #require(firstOutput.copyPixelBuffer(forItemTime: .zero))
            #expect(!firstOutput.hasNewPixelBuffer(forItemTime: .zero))
            #expect(secondOutput.hasNewPixelBuffer(forItemTime: .zero))
            #expect(picture.itemTimeForDisplay == .zero)
            #expect((picture.buffer.width, picture.buffer.height) == (640, 360))
            #expect(picture.buffer.pixelFormat == .yuv420p && picture.buffer.planeCount == 3)
            // The pixel buffer shares the memory of the player's frame instead of copying it.
            let baseAddress = picture.buffer.withUnsafeBytes(ofPlane: 0) { $0.baseAddress }
            let frame = try #require(fixture.firstFrame)
            #expect(baseAddress == frame.withPicture { $0.plane(0) })
            fixture.player.play()
            try fixture.waitForFrames(5)
            fixture.player.pause()
            let now = fixture.player.currentTime()
            #expect(firstOutput.hasNewPixelBuffer(forItemTime: now))
            let laterPicture = try #require(firstOutput.copyPixelBuffer(forItemTime: now))
            #expect(laterPicture.itemTimeForDisplay > .zero && laterPicture.itemTimeForDisplay <= now)
            item.remove(secondOutput)
            #expect(item.outputs.count == 1)
        }
    }
}
