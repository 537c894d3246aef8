import BackgroundProtocolSamples
import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct StreamPreferencesTests {
    @Test func storedPreferencesRoundTrip() throws {
        #expect(
            try StreamPreferences(decoding: ClientMessageSamples.preferences.encoded)
                == ClientMessageSamples.preferences)
        #expect(try StreamPreferences(decoding: StreamPreferences().encoded) == StreamPreferences())
    }

    @Test func damagedPreferencesAreRejected() {
        let bytes = ClientMessageSamples.preferences.encoded
        for count in 0..<bytes.count {
            #expect(throws: MalformedMessage.self) { try StreamPreferences(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: MalformedMessage.self) { try StreamPreferences(decoding: bytes + [0]) }
    }

    @Test(arguments: ["", "d e", "de\n", "ä", String(repeating: "a", count: 65)])
    func languagesThatAreNoTagsHaveAFault(_ language: String) {
        var preferences = StreamPreferences()
        preferences.subtitleLanguages = ["de", language]
        #expect(preferences.fault != nil)
        #expect(throws: MalformedMessage.self) { try StreamPreferences(decoding: preferences.encoded) }
    }

    @Test func tooManyLanguagesHaveAFault() {
        var preferences = StreamPreferences()
        preferences.audioLanguages = [String](repeating: "de", count: 16)
        #expect(preferences.fault == nil)
        preferences.audioLanguages.append("en")
        #expect(preferences.fault == "there are more than 16 languages")
    }
}
