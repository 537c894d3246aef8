import Testing

@testable import MediaPipeline

@Suite struct MediaInfoTests {
    /// Returns a track of the given kind.
    private func track(_ kind: MediaTrack.Kind, _ configure: (inout MediaTrack) -> Void) -> MediaTrack {
        var track = MediaTrack(id: 3, kind: kind, codec: "codec")
        configure(&track)
        return track
    }

    @Test("The video information contains the size and the frame rate of the track")
    func videoInformationContainsSizeAndFrameRate() {
        let video = MediaInfo.Video(
            track(.video) { ($0.width, $0.height, $0.frameRate) = (640, 360, 25) })
        #expect(video.streamIndex == 3 && video.codec == "codec" && !video.isCoverPicture)
        #expect(video.width == 640 && video.height == 360 && video.frameRate == 25)
    }

    @Test("A cover has no frame rate, even if the container states one")
    func coverHasNoFrameRate() {
        let video = MediaInfo.Video(track(.video) { ($0.isAttachedPicture, $0.frameRate) = (true, 90_000) })
        #expect(video.isCoverPicture && video.frameRate == 0)
    }

    @Test("The audio information contains the rate and the channels of the track, but no speakers")
    func audioInformationContainsRateAndChannels() {
        let audio = MediaInfo.Audio(track(.audio) { ($0.sampleRate, $0.channels) = (44_100, 6) })
        #expect(audio.sampleRate == 44_100 && audio.channels == 6 && audio.speakers.isEmpty)
    }

    @Test("A track is external if it has its own file, whatever its number")
    func trackWithItsOwnFileIsExternal() {
        #expect(track(.subtitle) { $0.location = "/a.srt" }.isExternal)
        #expect(!track(.subtitle) { $0.id = MediaTrack.firstFileID }.isExternal)
    }
}
