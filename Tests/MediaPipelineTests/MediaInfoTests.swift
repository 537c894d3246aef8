import Testing

@testable import MediaPipeline

@Suite struct MediaInfoTests {
    /// Returns a track of the given kind.
    private func track(_ kind: MediaTrack.Kind, _ change: (inout MediaTrack) -> Void) -> MediaTrack {
        var track = MediaTrack(id: 3, kind: kind, codec: "codec")
        change(&track)
        return track
    }

    @Test("A video track passes on its size and its frame rate")
    func videoTrackPassesOnItsSizeAndFrameRate() {
        let video = MediaInfo.Video(
            track(.video) { ($0.width, $0.height, $0.frameRate) = (640, 360, 25) })
        #expect(video.streamIndex == 3 && video.codec == "codec" && !video.isCoverPicture)
        #expect(video.width == 640 && video.height == 360 && video.frameRate == 25)
    }

    @Test("A cover is a still picture without a frame rate, whatever the container states")
    func coverIsAStillPictureWithoutAFrameRate() {
        let video = MediaInfo.Video(track(.video) { ($0.isAttachedPicture, $0.frameRate) = (true, 90_000) })
        #expect(video.isCoverPicture && video.frameRate == 0)
    }

    @Test("An audio track passes on its rate and its channels, without speakers")
    func audioTrackPassesOnItsRateAndChannels() {
        let audio = MediaInfo.Audio(track(.audio) { ($0.sampleRate, $0.channels) = (44_100, 6) })
        #expect(audio.sampleRate == 44_100 && audio.channels == 6 && audio.speakers.isEmpty)
    }

    @Test("A track is external if it has a file of its own, whatever its number")
    func trackWithItsOwnFileIsExternal() {
        #expect(track(.subtitle) { $0.location = "/a.srt" }.isExternal)
        #expect(!track(.subtitle) { $0.id = MediaTrack.firstFileID }.isExternal)
    }
}
