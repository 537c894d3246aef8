import AudioOutput
import Testing

@testable import SwiftPlay

@Suite struct PlayerConfigurationTests {
    @Test("The default configuration plays audio and video in real time on the default audio device")
    func defaultConfigurationPlaysOnTheDefaultAudioDevice() {
        let configuration = PlayerConfiguration()
        #expect(configuration.audioOutput == .alsa(device: "default"))
        #expect(configuration.playsVideo && !configuration.isUntimed && configuration.decoderThreads == nil)
        #expect(configuration.gaplessAudio == .whereFormatsMatch)
        #expect(configuration.audioChannels == .automaticSafe)
    }

    @Test("Channels have mpv's names")
    func audioChannelsAreCreatedFromMpvNames() {
        #expect(PlayerConfiguration.AudioChannels("auto-safe") == .automaticSafe)
        #expect(PlayerConfiguration.AudioChannels("auto")?.choice == .automatic)
        #expect(PlayerConfiguration.AudioChannels("mono")?.choice == .layouts([[.frontCentre]]))
    }

    @Test("Unknown channels are refused", arguments: ["", ",", "auto,stereo", "stereo,loud", "0", "-2", "STEREO"])
    func unknownAudioChannelNamesAreRefused(_ text: String) {
        #expect(PlayerConfiguration.AudioChannels(text) == nil)
    }

    @Test("The values of gapless audio have mpv's names")
    func gaplessAudioValuesHaveMpvNames() {
        let names: [PlayerConfiguration.GaplessAudio] = [.always, .whereFormatsMatch, .never]
        #expect(names.map(\.rawValue) == ["yes", "weak", "no"])
        #expect(PlayerConfiguration.GaplessAudio(rawValue: "auto") == nil)
    }
}
