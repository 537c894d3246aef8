import Testing

@testable import StreamPlaylists

/// Streams for the tests of packages.
enum PackageSamples {
    static let address = "https://a.example/films/one/master.m3u8?token=7"

    /// Plans a stream that consists of `#EXTM3U` and `lines`.
    static func plan(
        _ lines: String, _ preferences: PackagePreferences = PackagePreferences(), address: String = address,
        limits: PackagePlan.Limits = PackagePlan.Limits()
    ) throws(PackageError) -> PackagePlan {
        try PackagePlan(streamAt: address, Array("#EXTM3U\n\(lines)".utf8), preferences, limits: limits)
    }

    /// Returns the error with which a stream is refused; nil if it is accepted.
    static func error(_ lines: String, limits: PackagePlan.Limits = PackagePlan.Limits()) -> PackageError? {
        do throws(PackageError) {
            _ = try plan(lines, limits: limits)
            return nil
        } catch { return error }
    }

    /// A stream with five variants, two languages of audio and three renditions of subtitles.
    static let film = """
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="deu",URI="de.m3u8",CHANNELS="6"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Signs",LANGUAGE="de",FORCED=YES,URI="signs.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="sub-de.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Français",LANGUAGE="fr",URI="sub-fr.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=640x360,CODECS="avc1,mp4a",AUDIO="a",SUBTITLES="s"
        360.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1280x720,CODECS="avc1,mp4a",AUDIO="a",SUBTITLES="s"
        720-high.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
        720-low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=6000000,RESOLUTION=1920x1080,FRAME-RATE=50,AUDIO="a",SUBTITLES="s"
        1080.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160,VIDEO-RANGE=PQ,AUDIO="a",SUBTITLES="s"
        2160-hdr.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a",AUDIO="a"
        sound.m3u8
        """

    /// A playlist of three segments.
    static let segments = """
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:7
        #EXTINF:4,
        a/seg7.ts
        #EXTINF:3.52,title
        b/seg8.ts?x=1
        #EXT-X-DISCONTINUITY
        #EXTINF:4,
        https://cdn.example/seg9.TS
        #EXT-X-ENDLIST
        """
}
