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

    /// Returns the message to the user about wrong arguments; nil if the arguments are valid.
    private func errorMessage(_ arguments: String...) throws -> String? {
        do {
            try options(arguments).validateAll()
            return nil
        } catch { return SessionOptions.message(for: error) }
    }

    @Test func theDefaultIsMoviePlayback() throws {
        let defaultConfiguration = try configuration()
        #expect(defaultConfiguration.category == .playback && defaultConfiguration.mode == .moviePlayback)
        #expect(defaultConfiguration.options == [])
        #expect(defaultConfiguration == SessionOptions.defaultConfiguration)
    }

    @Test func otherCategoriesHaveTheDefaultMode() throws {
        #expect(try configuration("--audio-category=ambient") == AudioConfiguration(category: .ambient))
        #expect(try configuration("--audio-category=soloAmbient") == AudioConfiguration(category: .soloAmbient))
    }

    @Test(arguments: [
        ("default", AudioMode.default), ("moviePlayback", .moviePlayback), ("spokenAudio", .spokenAudio),
        ("voicePrompt", .voicePrompt),
    ])
    func everyModeIsParsed(_ name: String, _ mode: AudioMode) throws {
        #expect(try configuration("--audio-mode=\(name)").mode == mode)
    }

    @Test func optionsAreCombined() throws {
        #expect(try configuration("--audio-session-options=mix").options == .mixWithOthers)
        #expect(try configuration("--audio-session-options=duck,mix").options == [.duckOthers, .mixWithOthers])
        #expect(
            try configuration("--audio-session-options=interrupt-spoken").options
                == .interruptSpokenAudioAndMixWithOthers)
    }

    @Test func anUnknownCategoryIsReportedBeforeAnUnknownMode() throws {
        #expect(
            try errorMessage("--audio-category=music", "--audio-mode=loud")?.hasPrefix(
                "--audio-category=music is not known") == true)
    }

    @Test func theErrorNamesAnUnknownMode() throws {
        #expect(try errorMessage("--audio-mode=loud")?.hasPrefix("--audio-mode=loud is not known") == true)
    }

    @Test(arguments: [
        ["--audio-category=ambient", "--audio-mode=moviePlayback"],
        ["--audio-category=soloAmbient", "--audio-session-options=mix"],
        ["--audio-session-options=loud"], ["--audio-session-options=mix,loud"],
    ])
    func incompatibleAndUnknownOptionsAreRefused(_ arguments: [String]) throws {
        let options = try options(arguments)
        #expect(throws: (any Error).self) { try options.validateAll() }
    }
}
