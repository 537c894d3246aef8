import Testing

@testable import AudioPolicy

@Suite struct AudioCategoryOptionsTests {
    /// The options that imply mixing with other audio.
    private let mixingOptions: AudioCategoryOptions = [
        .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers,
    ]

    @Test("Ambient categories permit no options", arguments: [AudioCategory.ambient, .soloAmbient])
    func ambientCategoriesPermitNoOptions(_ category: AudioCategory) {
        #expect(AudioCategoryOptions.allowed(with: category).isEmpty)
    }

    @Test(
        "Playback to one or several devices permits the mixing options only",
        arguments: [AudioCategory.playback, .multiRoute])
    func playbackCategoriesPermitOnlyMixingOptions(_ category: AudioCategory) {
        #expect(AudioCategoryOptions.allowed(with: category) == mixingOptions)
    }

    @Test("Recording permits the options of the microphone only")
    func recordCategoryPermitsOnlyMicrophoneOptions() {
        let options = AudioCategoryOptions.allowed(with: .record)
        #expect(options == [.allowBluetoothHFP, .overrideMutedMicrophoneInterruption])
        #expect(options.isDisjoint(with: mixingOptions))
    }

    @Test("Playback with recording permits every option, and no unknown bit")
    func playAndRecordCategoryPermitsEveryOption() {
        let options = AudioCategoryOptions.allowed(with: .playAndRecord)
        #expect(options.rawValue == 0xFF)
        for category in AudioCategory.allCases {
            #expect(AudioCategoryOptions.allowed(with: category).isSubset(of: options), "\(category)")
        }
    }

    @Test("The bit that interrupts spoken audio is not enough: the audio must mix, too")
    func interruptSpokenAudioOptionIncludesTheMixingBit() {
        let interruptSpokenAudioBit = AudioCategoryOptions(rawValue: 0x10)
        #expect(!interruptSpokenAudioBit.contains(.interruptSpokenAudioAndMixWithOthers))
        #expect(interruptSpokenAudioBit.union(.mixWithOthers) == .interruptSpokenAudioAndMixWithOthers)
    }

    @Test("Ducking does not include the mixing bit, but makes the audio mix")
    func duckOthersOptionMakesAudioMixable() throws {
        #expect(!AudioCategoryOptions.duckOthers.contains(.mixWithOthers))
        let configuration = try AudioConfiguration(category: .playback, options: .duckOthers)
        #expect(configuration.isMixable && configuration.ducksOthers && !configuration.interruptsSpokenAudio)
    }
}
