import TestSupport
import Testing

@testable import TransferPolicy

@Suite struct FileNamePolicyTests {
    @Test(arguments: [
        ("film.mp4", "film.mp4"), ("../../etc/passwd", "passwd"), ("/absolute/film.mp4", "film.mp4"),
        ("C:\\films\\film.mp4", "film.mp4"), ("a/", "a"), ("", "download"), ("/", "download"), (".", "download"),
        ("..", "download"), (".hidden", "hidden"), ("...a", "a"), ("a\u{0}b\nc\u{7f}.mp4", "abc.mp4"),
        ("film\u{202E}4pm.exe", "film4pm.exe"), ("  film.mp4 ", "film.mp4"), ("film.", "film"), ("\u{0}", "download"),
        (". .a", "a"), ("Ünï cödé 映画.mkv", "Ünï cödé 映画.mkv"),
    ])
    func suggestionsBecomePlainNames(_ suggestion: String, _ name: String) {
        #expect(FileNamePolicy.name(suggestion: suggestion) == name)
    }

    @Test(arguments: [
        ("/a/film.mp4", "film.mp4"), ("/a/my%20film.mp4", "my film.mp4"), ("/a/%2e%2e%2fpasswd", "passwd"),
        ("/", "download"), ("", "download"), ("/a/%E6%98%A0.mkv", "映.mkv"), ("/100%", "100%"), ("/%zz%4", "%zz%4"),
        ("/%+1", "%+1"), ("/a%00b", "ab"),
    ])
    func pathsOfAddressesBecomePlainNames(_ path: String, _ name: String) {
        #expect(FileNamePolicy.name(urlPath: path) == name)
    }

    @Test func longNamesKeepTheirExtension() {
        let name = FileNamePolicy.name(suggestion: String(repeating: "ü", count: 300) + ".mp4")
        #expect(name.utf8.count == 200 && name.hasSuffix("ü.mp4"))
    }

    @Test func charactersAreNotCutApart() {
        let name = FileNamePolicy.name(suggestion: "a" + String(repeating: "映", count: 100))
        #expect(name.utf8.count == 199 && name.last == "映")
    }

    @Test func aLongExtensionIsCutAsTheRest() {
        let name = FileNamePolicy.name(suggestion: "a." + String(repeating: "x", count: 300))
        #expect(name.utf8.count == 200)
    }

    @Test func takenNamesGetANumberBeforeTheExtension() {
        #expect(FileNamePolicy.numbered("film.mp4", 2) == "film (2).mp4")
        #expect(FileNamePolicy.numbered("film", 3) == "film (3)")
        #expect(FileNamePolicy.numbered("a.tar.gz", 2) == "a.tar (2).gz")
    }

    @Test func numberedNamesStayWithinTheLimit() {
        let name = String(repeating: "x", count: 196) + ".mp4"
        let numbered = FileNamePolicy.numbered(name, 12)
        #expect(numbered.utf8.count == 200 && numbered.hasSuffix(" (12).mp4"))
    }

    @Test func partNamesAreHiddenAndRecognised() {
        #expect(FileNamePolicy.partName(for: "film.mp4", taskID: 42) == ".film.mp4.0000002a.part")
        #expect(FileNamePolicy.isPartName(".film.mp4.0000002a.part"))
        #expect(FileNamePolicy.isPartName(FileNamePolicy.partName(for: "a", taskID: -1)))
    }

    @Test(arguments: [
        "film.mp4", ".part", "..part", ".a.part", ".a.0000002A.part", ".a.000002a.part", "a.0000002a.part",
        ".a.0000002a.part2", "..0000002a.part",
    ])
    func otherNamesAreNotPartNames(_ name: String) { #expect(!FileNamePolicy.isPartName(name)) }

    @Test func randomSuggestionsNeverLeaveTheDirectory() {
        var generator = SeededGenerator.printingSeed()
        let alphabet = Array("./\\ a\u{0}\u{7f}\u{202e}%ü映\n-~") + ["\u{200d}", "\u{e000}"]
        for _ in 0..<2000 {
            let suggestion = String(
                (0..<Int.random(in: 0...300, using: &generator)).compactMap { _ in
                    alphabet.randomElement(using: &generator)
                })
            for name in [FileNamePolicy.name(suggestion: suggestion), FileNamePolicy.name(urlPath: suggestion)] {
                #expect(!name.isEmpty && name.utf8.count <= 200 && name.first != "." && !name.contains("/"))
                #expect(!name.unicodeScalars.contains { $0.value < 32 || $0.value == 127 })
                #expect(FileNamePolicy.partName(for: name, taskID: .max).utf8.count <= 255)
                #expect(FileNamePolicy.numbered(name, 1_000_000).utf8.count <= 200)
            }
        }
    }
    @Test(arguments: [
        ("/films/Film%20One/master.m3u8", "Film One"), ("/film.m3u8", "film"), ("/a/b/index.M3U8", "b"),
        ("/master.m3u8", "stream"), ("/", "stream"), ("", "stream"), ("/hls/video/playlist.m3u8", "stream"),
        ("/films/one/manifest", "one"), ("/..%2f..%2fx.m3u8", "x"), ("/Film/main.m3u8/", "Film"),
    ])
    func aPackageHasTheNameOfItsFilm(_ path: String, _ name: String) {
        #expect(FileNamePolicy.packageName(urlPath: path) == name)
    }
}
