import TestSupport
import Testing

@testable import StreamPlaylists

@Suite struct PackagePlanTests {
    @Test func theResourcesOfAFilmAreItsChosenPlaylists() throws {
        let preferences = PackagePreferences(maximumHeight: 720, audioLanguages: ["de"], subtitleLanguages: ["fr"])
        let plan = try PackageSamples.plan(PackageSamples.film, preferences)
        #expect(plan.resources.map(\.name) == ["video.m3u8", "audio-1.m3u8", "subtitles-1.m3u8"])
        #expect(
            plan.resources.map(\.address) == [
                "https://a.example/films/one/720-high.m3u8", "https://a.example/films/one/de.m3u8",
                "https://a.example/films/one/sub-fr.m3u8",
            ])
        #expect(plan.resources.allSatisfy { $0.kind == .playlist && $0.duration == 0 })
    }

    @Test func theLocalMasterPlaylistHasTheChosenVariantAndRenditions() throws {
        let preferences = PackagePreferences(maximumHeight: 720, audioLanguages: ["de"], subtitleLanguages: ["de"])
        let text = try PackageSamples.plan(PackageSamples.film, preferences).text
        let playlist = try MultivariantPlaylist(Array(text.utf8), address: "file:///package/master.m3u8")
        #expect(playlist.variants.map(\.address.referenceText) == ["video.m3u8"])
        #expect(playlist.variants.first?.video.resolution == VideoAttributes.Resolution(width: 1280, height: 720))
        #expect(playlist.variants.first?.codecs == ["avc1", "mp4a"] && playlist.variants.first?.bandwidth == 3_000_000)
        let audio = try #require(playlist.renditions(.audio, of: playlist.variants[0]).first)
        #expect(audio.name == "Deutsch" && audio.language == "deu" && audio.isDefault && audio.channels == "6")
        let subtitles = try #require(playlist.renditions(.subtitles, of: playlist.variants[0]).first)
        #expect(subtitles.name == "Deutsch" && !subtitles.isDefault && playlist.isIndependent)
        #expect(playlist.warnings.isEmpty)
    }

    @Test func audioWithinTheVariantIsNotDownloaded() throws {
        let plan = try PackageSamples.plan(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="main",DEFAULT=YES
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            v.m3u8
            """)
        #expect(plan.resources.map(\.name) == ["video.m3u8"])
        #expect(plan.text.contains("NAME=\"main\"") && !plan.text.contains("audio-1"))
    }

    @Test func segmentsGetNumbersAsNames() throws {
        let plan = try PackageSamples.plan(PackageSamples.segments)
        #expect(plan.resources.map(\.name) == ["media-0.ts", "media-1.ts", "media-2.ts"])
        #expect(plan.resources.map(\.address)[1] == "https://a.example/films/one/b/seg8.ts?x=1")
        #expect(plan.resources.map(\.start) == [0, 4_000_000_000, 7_520_000_000])
        #expect(plan.resources.map(\.duration) == [4_000_000_000, 3_520_000_000, 4_000_000_000])
    }

    @Test func theLocalPlaylistHasTheSegmentsOfTheOriginal() throws {
        let plan = try PackageSamples.plan(PackageSamples.segments)
        let local = try MediaPlaylist(Array(plan.text.utf8), address: "file:///p/a.m3u8")
        #expect(local.segments.map(\.address.referenceText) == plan.resources.map(\.name))
        #expect(local.segments.map(\.number) == [7, 8, 9] && local.segments.map(\.discontinuity) == [0, 0, 1])
        #expect(local.segments.map(\.duration) == [4_000_000_000, 3_520_000_000, 4_000_000_000])
        #expect(local.isComplete && local.targetDuration == 4_000_000_000 && local.warnings.isEmpty)
    }

    @Test func byteRangesShareOneResource() throws {
        let plan = try PackageSamples.plan(
            """
            #EXT-X-TARGETDURATION:4
            #EXT-X-MAP:URI="all.mp4",BYTERANGE="800@0"
            #EXT-X-BYTERANGE:1000@800
            #EXTINF:4,
            all.mp4
            #EXT-X-BYTERANGE:500
            #EXTINF:2,
            all.mp4
            #EXT-X-ENDLIST
            """)
        #expect(plan.resources.map(\.name) == ["media-init-0.mp4"])
        #expect(plan.resources[0].duration == 6_000_000_000)
        let local = try MediaPlaylist(Array(plan.text.utf8), address: "file:///p/a.m3u8")
        #expect(local.segments.map(\.byteRange?.offset) == [800, 1800])
        #expect(local.segments[1].initialization?.byteRange?.length == 800)
    }

    @Test func keysAreResources() throws {
        let plan = try PackageSamples.plan(
            """
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:3
            #EXT-X-KEY:METHOD=AES-128,URI="key?id=1"
            #EXTINF:4,
            1.ts
            #EXTINF:4,
            2.ts
            #EXT-X-KEY:METHOD=AES-128,URI="key?id=2",IV=0x1F
            #EXTINF:4,
            3.ts
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            4.ts
            #EXT-X-ENDLIST
            """)
        #expect(plan.resources.map(\.name).filter { $0.hasSuffix(".key") } == ["media-key-0.key", "media-key-3.key"])
        let local = try MediaPlaylist(Array(plan.text.utf8), address: "file:///p/a.m3u8")
        let keys = local.segments.map { $0.key?.address?.referenceText }
        #expect(keys == ["media-key-0.key", "media-key-0.key", "media-key-3.key", nil])
        #expect(local.segments[0].key?.initializationVector == nil && local.segments[0].number == 3)
        #expect(local.segments[2].key?.initializationVector?.last == 0x1F)
    }

    @Test func anEncryptedInitializationSectionKeepsItsKey() throws {
        let plan = try PackageSamples.plan(
            """
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="1.key",IV=0x1
            #EXT-X-MAP:URI="init.mp4"
            #EXT-X-KEY:METHOD=AES-128,URI="2.key",IV=0x2
            #EXTINF:4,
            1.m4s
            #EXT-X-ENDLIST
            """)
        let local = try MediaPlaylist(Array(plan.text.utf8), address: "file:///p/a.m3u8")
        let segment = try #require(local.segments.first)
        #expect(segment.initialization?.key?.initializationVector?.last == 1)
        #expect(segment.key?.initializationVector?.last == 2)
        #expect(Set(plan.resources.map(\.name)).count == 4)
    }

    @Test func gapsAreNotRequested() throws {
        let plan = try PackageSamples.plan(
            "#EXT-X-TARGETDURATION:4\n#EXT-X-GAP\n#EXTINF:4,\ngone.ts\n#EXTINF:4,\n2.ts\n#EXT-X-ENDLIST")
        #expect(plan.resources.map(\.name) == ["media-1.ts"] && plan.resources[0].start == 4_000_000_000)
        let local = try MediaPlaylist(Array(plan.text.utf8), address: "file:///p/a.m3u8")
        #expect(local.segments.map(\.isGap) == [true, false])
    }

    @Test(arguments: [
        ("a.m4s", "media-0.m4s"), ("a.WEBVTT", "media-0.vtt"), ("a.aac?t=.exe", "media-0.aac"), ("a.sh", "media-0.ts"),
        ("a", "media-0.ts"), ("a.desktop", "media-0.ts"), ("a.ts/../../b", "media-0.ts"),
        ("%2e%2e%2fx.mp4", "media-0.mp4"),
        ("../../../../etc/passwd", "media-0.ts"), ("a.ts;rm -rf", "media-0.ts"),
    ])
    func onlyKnownSuffixesOfTheServerAreKept(_ reference: String, _ name: String) throws {
        let plan = try PackageSamples.plan("#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(reference)\n#EXT-X-ENDLIST")
        #expect(plan.resources.map(\.name) == [name])
    }

    @Test func namesOfRenditionsCannotAddAttributesOrLines() throws {
        let plan = try PackageSamples.plan(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x\u{0B}\u{2028}\u{85}y",LANGUAGE="en",URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a",CODECS="a\u{0C}b"
            v.m3u8
            """)
        #expect(plan.text.contains("NAME=\"xy\"") && plan.text.contains("CODECS=\"ab\""))
        #expect(plan.text.split(separator: "\n").count == 5)
    }

    @Test func theSegmentsOfARenditionDoNotCountForTheProgress() throws {
        let plan = try PackagePlan(
            segmentsAt: "https://a.example/a.m3u8", Array("#EXTM3U\n\(PackageSamples.segments)".utf8),
            prefix: "audio-1",
            isMain: false)
        #expect(plan.resources.map(\.name).first == "audio-1-0.ts")
        #expect(plan.resources.allSatisfy { $0.duration == 0 } && plan.resources[1].start == 4_000_000_000)
    }

    @Test func theMediaTypeVODCountsAsComplete() throws {
        let lines = "#EXT-X-TARGETDURATION:4\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:4,\n1.ts"
        #expect(try PackageSamples.plan(lines).resources.count == 1)
    }

    @Test func aTitleOfASegmentIsDropped() throws {
        #expect(try !PackageSamples.plan(PackageSamples.segments).text.contains("title"))
    }
}
