import Testing

@testable import Podcasts

@Suite struct LibraryKeyTests {
    @Test func keysAreReadAsTheyAreWritten() {
        let key = LibraryKey(library: "0123abcd", number: 17)
        #expect(LibraryKey(description: "\(key) A title - with dashes") == key)
        #expect(LibraryKey(fileName: "\(key).mp3") == key)
    }

    @Test(arguments: [
        "", "0123abcd", "0123abcd-", "0123abcd-0", "0123abcd-+1", "0123abcd-01", "0123abc-1", "0123abcg-1",
    ])
    func otherTextsAreNone(_ text: String) {
        #expect(LibraryKey(description: text) == nil && LibraryKey(fileName: text + ".mp3") == nil)
    }

    @Test(arguments: ["0123abcd-1", "0123abcd-1.", "0123abcd-1.a.b", "../0123abcd-1.mp3"])
    func otherFilesAreNone(_ name: String) { #expect(LibraryKey(fileName: name) == nil) }
}
