import TestSupport
import Testing

@testable import StreamPlaylists

/// Tests with the example playlists of RFC 8216, section 8. Lines that the document wraps are joined.
@Suite struct RFC8216ExampleTests {
    @Test("8.1: a simple media playlist is parsed")
    func simpleMediaPlaylistIsParsed() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            #EXT-X-TARGETDURATION:10
            #EXT-X-VERSION:3
            #EXTINF:9.009,
            http://media.example.com/first.ts
            #EXTINF:9.009,
            http://media.example.com/second.ts
            #EXTINF:3.003,
            http://media.example.com/third.ts
            #EXT-X-ENDLIST
            """)
        #expect(playlist.targetDuration == 10.seconds && playlist.isComplete)
        #expect(playlist.segments.map(\.duration) == [9_009_000_000, 9_009_000_000, 3_003_000_000])
        #expect(
            playlist.segments.map(\.address.url)
                == ["first", "second", "third"].map { "http://media.example.com/\($0).ts" })
        #expect(playlist.segments.map(\.duration).reduce(0, +) == 21_021_000_000)
    }

    @Test("8.2: a live media playlist with https is parsed")
    func liveMediaPlaylistIsParsed() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            #EXT-X-VERSION:3
            #EXT-X-TARGETDURATION:8
            #EXT-X-MEDIA-SEQUENCE:2680

            #EXTINF:7.975,
            https://priv.example.com/fileSequence2680.ts
            #EXTINF:7.941,
            https://priv.example.com/fileSequence2681.ts
            #EXTINF:7.975,
            https://priv.example.com/fileSequence2682.ts
            """)
        #expect(!playlist.isComplete)
        #expect(playlist.segments.map(\.number) == [2680, 2681, 2682])
        #expect(playlist.segments.last?.address.url == "https://priv.example.com/fileSequence2682.ts")
    }

    @Test("8.3: encrypted media segments are parsed")
    func encryptedMediaPlaylistIsParsed() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            #EXT-X-VERSION:3
            #EXT-X-MEDIA-SEQUENCE:7794
            #EXT-X-TARGETDURATION:15

            #EXT-X-KEY:METHOD=AES-128,URI="https://priv.example.com/key.php?r=52"

            #EXTINF:2.833,
            http://media.example.com/fileSequence52-A.ts
            #EXTINF:15.0,
            http://media.example.com/fileSequence52-B.ts
            #EXTINF:13.333,
            http://media.example.com/fileSequence52-C.ts

            #EXT-X-KEY:METHOD=AES-128,URI="https://priv.example.com/key.php?r=53"

            #EXTINF:15.0,
            http://media.example.com/fileSequence53-A.ts
            """)
        #expect(
            playlist.segments.map(\.key?.address?.url)
                == [52, 52, 52, 53].map { "https://priv.example.com/key.php?r=\($0)" })
        let lastSegment = try #require(playlist.segments.last)
        #expect(lastSegment.key?.initializationVector(ofSegment: lastSegment.number).suffix(2) == [0x1E, 0x75])
    }

    @Test("8.4: a master playlist is parsed")
    func masterPlaylistIsParsed() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000
            http://example.com/low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2560000,AVERAGE-BANDWIDTH=2000000
            http://example.com/mid.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=7680000,AVERAGE-BANDWIDTH=6000000
            http://example.com/hi.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5"
            http://example.com/audio-only.m3u8
            """)
        #expect(playlist.variants.map(\.bandwidth) == [1_280_000, 2_560_000, 7_680_000, 65_000])
        #expect(playlist.variants.map(\.averageBandwidth) == [1_000_000, 2_000_000, 6_000_000, nil])
        #expect(playlist.variants.map(\.codecs) == [[], [], [], ["mp4a.40.5"]])
    }

    @Test("8.5: a master playlist with I-frames is parsed")
    func masterPlaylistWithIFramesIsParsed() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-STREAM-INF:BANDWIDTH=1280000
            low/audio-video.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=86000,URI="low/iframe.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=2560000
            mid/audio-video.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=150000,URI="mid/iframe.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=7680000
            hi/audio-video.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=550000,URI="hi/iframe.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5"
            audio-only.m3u8
            """)
        #expect(playlist.variants.count == 4)
        #expect(playlist.iFrameStreams.map(\.bandwidth) == [86_000, 150_000, 550_000])
        #expect(
            playlist.iFrameStreams.map(\.address.referenceText) == [
                "low/iframe.m3u8", "mid/iframe.m3u8", "hi/iframe.m3u8",
            ])
    }

    @Test("8.6: a master playlist with alternative audio is parsed")
    func masterPlaylistWithAlternativeAudioIsParsed() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English", \
               DEFAULT=YES,AUTOSELECT=YES,LANGUAGE="en", \
               URI="main/english-audio.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Deutsch", \
               DEFAULT=NO,AUTOSELECT=YES,LANGUAGE="de", \
               URI="main/german-audio.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Commentary", \
               DEFAULT=NO,AUTOSELECT=NO,LANGUAGE="en", \
               URI="commentary/audio-only.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="...",AUDIO="aac"
            low/video-only.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2560000,CODECS="...",AUDIO="aac"
            mid/video-only.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=7680000,CODECS="...",AUDIO="aac"
            hi/video-only.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5",AUDIO="aac"
            main/english-audio.m3u8
            """)
        for variant in playlist.variants {
            let audio = playlist.renditions(.audio, of: variant)
            #expect(audio.map(\.name) == ["English", "Deutsch", "Commentary"])
            #expect(audio.map(\.isDefault) == [true, false, false])
            #expect(audio.map(\.isAutoselect) == [true, true, false])
            #expect(audio.map(\.language) == ["en", "de", "en"])
        }
        #expect(playlist.variants.count == 4)
    }

    @Test("8.7: a master playlist with alternative video is parsed")
    func masterPlaylistWithAlternativeVideoIsParsed() throws {
        let names = ["Main", "Centerfield", "Dugout"]
        var text = ""
        for (group, bandwidth) in [("low", 1_280_000), ("mid", 2_560_000), ("hi", 7_680_000)] {
            for name in names {
                text += "#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID=\"\(group)\",NAME=\"\(name)\","
                text +=
                    "DEFAULT=\(name == "Main" ? "YES" : "NO"),URI=\"\(group)/\(name.lowercased())/audio-video.m3u8\"\n"
            }
            text += "\n#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth),CODECS=\"...\",VIDEO=\"\(group)\"\n"
            text += "\(group)/main/audio-video.m3u8\n\n"
        }
        let playlist = try PlaylistSamples.multivariantPlaylist(text)
        #expect(playlist.variants.count == 3 && playlist.renditions.count == 9)
        for variant in playlist.variants {
            let video = playlist.renditions(.video, of: variant)
            #expect(video.map(\.name) == names)
            #expect(video.first(where: \.isDefault)?.address == variant.address)
        }
    }

    @Test("8.8 and 8.9: session data and characteristics are parsed")
    func sessionDataAndCharacteristicsAreParsed() throws {
        let playlist = try PlaylistSamples.multivariantPlaylist(
            """
            #EXT-X-SESSION-DATA:DATA-ID="com.example.lyrics",URI="lyrics.json"

            #EXT-X-SESSION-DATA:DATA-ID="com.example.title",LANGUAGE="en",VALUE="This is an example"
            #EXT-X-SESSION-DATA:DATA-ID="com.example.title",LANGUAGE="es",VALUE="Este es un ejemplo"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="n",\
            CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,public.easy-to-read"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            a.m3u8
            """)
        #expect(
            playlist.renditions.first?.characteristics
                == ["public.accessibility.transcribes-spoken-dialog", "public.easy-to-read"])
        #expect(playlist.warnings.isEmpty)
    }

    @Test("8.10: date ranges with SCTE-35 tags are parsed")
    func dateRangesWithSCTE35TagsAreParsed() throws {
        let playlist = try PlaylistSamples.mediaPlaylist(
            """
            #EXT-X-TARGETDURATION:30
            #EXT-X-DATERANGE:ID="splice-6FFFFFF0",START-DATE="2014-03-05T11:15:00Z",PLANNED-DURATION=59.993,\
            SCTE35-OUT=0xFC002F0000000000FF000014056FFFFFF000E011622DCAFF000052636200000000000A0008029896F500000087
            #EXTINF:30,
            1.ts
            #EXTINF:30,
            2.ts
            #EXT-X-DATERANGE:ID="splice-6FFFFFF0",DURATION=59.993,\
            SCTE35-IN=0xFC002A0000000000FF00000F056FFFFFF000401162802E6100000000000A0008029896F50000008700000000
            #EXTINF:30,
            3.ts
            """)
        #expect(playlist.segments.map(\.address.referenceText) == ["1.ts", "2.ts", "3.ts"])
        #expect(playlist.warnings.isEmpty)
    }
}
