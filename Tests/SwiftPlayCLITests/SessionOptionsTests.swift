import AudioPolicy
import Testing

@testable import SwiftPlayCLI

@Suite struct SessionOptionsTests {
    private func options(_ arguments: [String]) throws -> SessionOptions { try SessionOptions.parse(arguments) }

    private func configuration(_ arguments: String...) throws -> AudioConfiguration {
        let options = try options(arguments)
        try options.validateAll()
        return options.configuration
    }

    private func complaint(_ arguments: String...) throws -> String? {
        do {
            try options(arguments).validateAll()
            return nil
        } catch { return SessionOptions.message(for: error) }
    }

    @Test func withoutWordsItIsAFilm() throws {
        let film = try configuration()
        #expect(film.category == .playback && film.mode == .moviePlayback && film.options == [])
        #expect(film == SessionOptions.usual)
    }

    @Test func otherCategoriesHaveTheDefaultMode() throws {
        #expect(try configuration("--audio-category=ambient") == AudioConfiguration(category: .ambient))
        #expect(try configuration("--audio-category=soloAmbient") == AudioConfiguration(category: .soloAmbient))
    }

    @Test(arguments: [
        ("default", AudioMode.default), ("moviePlayback", .moviePlayback), ("spokenAudio", .spokenAudio),
        ("voicePrompt", .voicePrompt),
    ])
    func everyModeIsUnderstood(_ word: String, _ mode: AudioMode) throws {
        #expect(try configuration("--audio-mode=\(word)").mode == mode)
    }

    @Test func optionsAreJoined() throws {
        #expect(try configuration("--audio-session-options=mix").options == .mixWithOthers)
        #expect(try configuration("--audio-session-options=duck,mix").options == [.duckOthers, .mixWithOthers])
        #expect(
            try configuration("--audio-session-options=interrupt-spoken").options
                == .interruptSpokenAudioAndMixWithOthers)
    }

    @Test func anUnknownCategoryIsNamedFirst() throws {
        #expect(
            try complaint("--audio-category=music", "--audio-mode=loud")?.hasPrefix(
                "--audio-category=music is not known") == true)
    }

    @Test func anUnknownModeIsNamed() throws {
        #expect(try complaint("--audio-mode=loud")?.hasPrefix("--audio-mode=loud is not known") == true)
    }

    @Test(arguments: [
        ["--audio-category=ambient", "--audio-mode=moviePlayback"],
        ["--audio-category=soloAmbient", "--audio-session-options=mix"],
        ["--audio-session-options=loud"], ["--audio-session-options=mix,loud"],
    ])
    func whatDoesNotGoTogetherIsRefused(_ arguments: [String]) throws {
        let options = try options(arguments)
        #expect(throws: (any Error).self) { try options.validateAll() }
    }
}
