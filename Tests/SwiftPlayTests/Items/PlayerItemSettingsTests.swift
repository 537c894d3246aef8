import Foundation
import SharedFrames
import SystemCalls
import Testing

@testable import MediaPipeline
@testable import SwiftPlay

/// Tests the settings of an item that no player has opened.
@Suite struct PlayerItemSettingsTests {
    private let item = PlayerItem(location: "/films/a.mp4")

    /// Sets the properties that a player would have read from the item's file.
    private func setInfo(
        duration: Int64? = nil, isSeekable: Bool = true, _ change: (inout MediaInfo) -> Void = { _ in }
    ) {
        var info = MediaInfo(container: "test", duration: duration, isSeekable: isSeekable, video: nil, audio: nil)
        change(&info)
        item.state.withLock { ($0.info, $0.status) = (info, .readyToPlay) }
    }

    @Test func copyHasTheSettingsOfItsOriginal() {
        item.playbackStartTime = MediaTime(seconds: 1)
        item.forwardPlaybackEndTime = MediaTime(seconds: 9)
        item.externalMetadata = [MetadataItem(key: MetadataItem.Key.title, stringValue: "Title")]
        item.audioTimePitchAlgorithm = .varispeed
        item.preferredPeakBitRate = 1_000_000
        item.preferredMaximumResolution = VideoSize(width: 640, height: 360)
        item.startsOnFirstEligibleVariant = true
        item.preferredForwardBufferDuration = 3
        item.automaticallyPreservesTimeOffsetFromLive = true
        item.chooseVariant(2)
        let copy = item.copy()
        #expect(copy !== item && copy.asset === item.asset)
        #expect(copy.playbackStartTime == MediaTime(seconds: 1) && copy.forwardPlaybackEndTime == MediaTime(seconds: 9))
        #expect(copy.title == "Title" && copy.audioTimePitchAlgorithm == .varispeed)
        #expect(copy.variantLimits == item.variantLimits && copy.preferredVariantIndex == 2)
        #expect(copy.preferredForwardBufferDuration == 3 && copy.automaticallyPreservesTimeOffsetFromLive)
    }

    @Test func copyHasNeitherOutputsNorTheStateOfItsOriginal() {
        let output = PlayerItemVideoOutput()
        item.add(output)
        setInfo(duration: 5)
        let copy = item.copy()
        #expect(copy.outputs.isEmpty && copy.status == .unknown && copy.duration.isIndefinite)
        copy.preferredPeakBitRate = 5
        #expect(item.preferredPeakBitRate == 0 && item.outputs.count == 1)
        item.remove(output)
    }

    @Test func playbackDoesNotStartBeforeTheItem() {
        item.playbackStartTime = MediaTime(seconds: -5)
        #expect(item.playbackStartTime == .zero)
        item.playbackStartTime = .indefinite
        #expect(item.playbackStartTime == .invalid)
    }

    @Test(arguments: [MediaTime.indefinite, .positiveInfinity, .invalid])
    func endTimeThatIsNotNumericMeansTheItemsOwnEnd(_ time: MediaTime) {
        item.forwardPlaybackEndTime = MediaTime(seconds: 3)
        item.forwardPlaybackEndTime = time
        #expect(item.forwardPlaybackEndTime == .invalid)
    }

    @Test func externalTitleTakesPrecedenceUnlessItIsNoText() {
        setInfo { $0.title = "Container" }
        #expect(item.title == "Container")
        item.externalMetadata = [MetadataItem(key: MetadataItem.Key.title, dataValue: [1])]
        #expect(item.title == "Container")
        item.externalMetadata = [MetadataItem(key: MetadataItem.Key.title, stringValue: "Program")]
        #expect(item.title == "Program")
    }

    // MARK: Live streams and reading ahead

    @Test func offsetFromLiveIsNotNegativeAndCanBeReset() {
        #expect(item.configuredTimeOffsetFromLive == .invalid)
        item.configuredTimeOffsetFromLive = MediaTime(seconds: -3)
        #expect(item.configuredTimeOffsetFromLive == .zero)
        item.configuredTimeOffsetFromLive = MediaTime(seconds: 6)
        item.configuredTimeOffsetFromLive = .invalid
        #expect(item.configuredTimeOffsetFromLive == .invalid)
    }

    @Test(arguments: [0, -1, .nan, -.infinity] as [Double])
    func bufferDurationThatIsNotPositiveMeansTheUsualDuration(_ duration: Double) {
        item.preferredForwardBufferDuration = 2.5
        #expect(item.preferredForwardBufferDuration == 2.5)
        item.preferredForwardBufferDuration = duration
        #expect(item.preferredForwardBufferDuration == 0)
    }

    @Test(arguments: [0, 1e10, -1e300, .nan, .infinity] as [Double])
    func seekToADateOfAnItemWithoutDatesFailsAtOnce(_ secondsSince1970: Double) {
        let results = Monitor<[Bool]>([])
        let isPossible = item.seek(to: Date(timeIntervalSince1970: secondsSince1970)) { isFinished in
            results.withLock { $0.append(isFinished) }
        }
        #expect(!isPossible && results.withLock { $0 } == [false] && item.currentDate() == nil)
    }

    @Test func nearestSeekableTimeIsWithinTheItem() {
        setInfo(duration: 10_000_000_000)
        #expect([-1, 4, 11].map(item.seekableTime) == [0, 4, 10])
    }

    @Test func nearestSeekableTimeOfAnItemWithoutADurationIsNotNegative() {
        setInfo(duration: nil)
        #expect([-1, 4, 1e9].map(item.seekableTime) == [0, 4, 1e9])
        setInfo(duration: 10_000_000_000, isSeekable: false)
        #expect([-1, 4, 11].map(item.seekableTime) == [0, 4, 10])
    }

    // MARK: Subtitle files

    @Test("subtitle files that are added to a closed item are opened each time, and the chosen one is selected")
    func subtitleFilesOfAClosedItemAreKept() {
        item.addSubtitles(location: "/first.srt", selecting: false)
        // The item was opened and closed.
        item.selection.withLock { $0.tracks = [MediaTrack(id: 0, kind: .video, codec: "h264")] }
        item.addSubtitles(location: "/second.srt")
        item.addSubtitles(location: "/third.srt", selecting: false)
        for _ in 0..<2 {
            var configuration = MediaSourceConfiguration()
            item.configureSubtitles(&configuration)
            #expect(configuration.subtitleFiles.map(\.path) == ["/first.srt", "/second.srt", "/third.srt"])
        }
        #expect(item.selection.withLock { $0.trackSelections[.subtitle] } == .id(MediaTrack.firstFileID + 1))
    }

    // MARK: Variants

    @Test func negativeVariantLimitsMeanNoLimit() {
        item.preferredPeakBitRate = -5
        item.preferredMaximumResolution = VideoSize(width: -1, height: 720)
        #expect(item.variantLimits.preferredPeakBitRate == 0)
        #expect(item.variantLimits.preferredMaximumResolution == PixelSize(width: 0, height: 720))
    }

    @Test func preferredVariantIsFoundByItsNumberInThePlaylist() {
        setInfo {
            $0.variants = [
                StreamVariant(index: 4, bandwidth: 800_000, averageBandwidth: 700_000),
                StreamVariant(index: 7, bandwidth: 2_000_000, size: PixelSize(width: 1280, height: 720)),
            ]
        }
        let variants = item.state.withLock { $0.info?.variants ?? [] }.map { AssetVariant($0) }
        item.preferredVariant = variants.last
        #expect(item.preferredVariant?.presentationSize == VideoSize(width: 1280, height: 720))
        #expect(item.preferredVariantIndex == 7 && item.variantLimits.userChoice == 7)
        item.chooseVariant(5)
        #expect(item.preferredVariant == nil, "the stream has no variant 5")
        item.preferredVariant = nil
        #expect(item.preferredVariantIndex == nil)
    }

    @Test func variantWithoutStatedPropertiesHasNone() {
        let variant = AssetVariant(StreamVariant(index: 0, bandwidth: 800_000))
        #expect(variant.peakBitRate == 800_000 && variant.averageBitRate == nil && variant.nominalFrameRate == nil)
        #expect(variant.presentationSize == .zero && variant.codecs.isEmpty)
    }

    @Test func chapterThatEndsBeforeItsStartIsEmpty() {
        let chapter = Chapter(MediaInfo.Chapter(start: 5_000_000_000, end: 3_000_000_000, title: nil))
        #expect(chapter.timeRange.isEmpty && chapter.timeRange.start == MediaTime(seconds: 5))
        #expect(!chapter.timeRange.contains(MediaTime(seconds: 5)))
    }

    // MARK: Assets

    @Test func settingsOfAnAssetReplaceThoseOfThePlayer() {
        var http = HTTPConfiguration(), playerPolicy = OpenPolicy()
        http.userAgent = "Asset/1"
        (playerPolicy.http.trust, playerPolicy.http.userAgent) = (.anything, "Player/1")
        playerPolicy.http.referrer = "https://player/"
        let asset = Asset(location: "https://a/b", tlsVerification: .systemRoots, http: http)
        let policy = asset.policy(default: playerPolicy)
        #expect(policy.http.trust == .systemRoots && policy.http.userAgent == "Asset/1" && policy.http.referrer == nil)
        let plainPolicy = Asset(location: "https://a/b").policy(default: playerPolicy)
        #expect(plainPolicy.http.trust == .anything && plainPolicy.http.userAgent == "Player/1")
    }

    @Test func httpSettingsOfAnAssetKeepTheTrustOfThePlayer() {
        var playerPolicy = OpenPolicy()
        playerPolicy.http.trust = .authorities(file: "/ca.pem")
        let policy = Asset(location: "https://a/b", http: HTTPConfiguration()).policy(default: playerPolicy)
        #expect(policy.http.trust == .authorities(file: "/ca.pem"))
    }
}
