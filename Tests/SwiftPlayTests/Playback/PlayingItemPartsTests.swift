import Testing

@testable import SwiftPlay

@Suite struct PlayingItemPartsTests {
    @Test func everySeekAndAudioTrackChangeHasAUniqueGenerationNumber() {
        var generations = MediaGenerations()
        var usedNumbers: Set<UInt32> = [generations.audio]
        for isSeek in [true, false, false, true, true, false] {
            let oldVideoGeneration = generations.video
            if isSeek { generations.beginSeek() } else { generations.beginAudioTrack(generations.nextGeneration) }
            #expect(usedNumbers.insert(generations.audio).inserted, "the number was used before")
            #expect(
                generations.video == (isSeek ? generations.audio : oldVideoGeneration),
                "a change of the audio track does not change the video's generation")
        }
    }

    @Test func restartResetsTheVideoProgress() {
        var video = VideoProgress()
        for hasTrack in [true, false] {
            video.wasStepped = true
            video.restart(hasTrack: hasTrack)
            #expect(video.hasEnded == !hasTrack && !video.wasStepped)
        }
    }

    @Test func audioCountsAsAppendedOnceThePipelineHasAcceptedIt() {
        var preloadState = PreloadState()
        #expect(!preloadState.isAudioAppended)
        preloadState.appendedAudio = AudioProgress.AcceptedAudio(number: 1, speed: 1)
        #expect(preloadState.isAudioAppended)
    }
}
