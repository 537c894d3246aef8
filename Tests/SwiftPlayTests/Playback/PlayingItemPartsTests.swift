import Testing

@testable import SwiftPlay

@Suite struct PlayingItemPartsTests {
    @Test func everySeekAndAudioTrackChangeHasAUniqueGenerationNumber() {
        var generations = MediaGenerations()
        var seen: Set<UInt32> = [generations.audio]
        for isSeek in [true, false, false, true, true, false] {
            let picture = generations.picture
            if isSeek { generations.begin() } else { generations.beginAudio(generations.next) }
            #expect(seen.insert(generations.audio).inserted, "the number was used before")
            #expect(
                generations.picture == (isSeek ? generations.audio : picture),
                "a change of the audio track does not change the picture's generation")
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

    @Test func openedItemIsJoinedIfItsAudioFollowsTheCurrentAudio() {
        var ahead = OpenedAhead()
        #expect(!ahead.isJoined)
        ahead.appendedAudio = AudioProgress.AcceptedAudio(number: 1, speed: 1)
        #expect(ahead.isJoined)
    }
}
