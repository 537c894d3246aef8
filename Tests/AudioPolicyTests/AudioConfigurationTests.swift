import Testing

@testable import AudioPolicy

@Suite struct AudioConfigurationTests {
    /// Returns whether the category permits the mode and the options.
    private func isAllowed(
        _ category: AudioCategory, _ mode: AudioMode = .default, _ options: AudioCategoryOptions = []
    )
        -> Bool
    {
        (try? AudioConfiguration(category: category, mode: mode, options: options)) != nil
    }

    @Test func everyCategoryIsLegalWithDefaultModeAndNoOptions() {
        for category in AudioCategory.allCases { #expect(isAllowed(category)) }
        #expect(AudioConfiguration.initial.category == .soloAmbient && !AudioConfiguration.initial.isMixable)
    }

    @Test func modesAreLegalInTheirCategories() {
        let legalCategories: [AudioMode: Set<AudioCategory>] = [
            .default: Set(AudioCategory.allCases), .moviePlayback: [.playback], .voicePrompt: [.playback],
            .spokenAudio: [.playback, .playAndRecord, .multiRoute], .voiceChat: [.playAndRecord],
            .videoChat: [.playAndRecord],
            .gameChat: [.playAndRecord], .videoRecording: [.record, .playAndRecord],
            .measurement: [.playback, .record, .playAndRecord],
        ]
        for mode in AudioMode.allCases {
            for category in AudioCategory.allCases {
                #expect(
                    isAllowed(category, mode) == (legalCategories[mode]?.contains(category) ?? false),
                    "\(mode) with \(category)")
            }
        }
    }

    @Test("an option of another category is illegal and throws badParam (-50)")
    func optionOfAnotherCategoryIsIllegal() {
        let mixingOptions: [AudioCategoryOptions] = [
            .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers,
        ]
        for option in mixingOptions {
            for category in AudioCategory.allCases {
                #expect(
                    isAllowed(category, .default, option)
                        == [.playback, .playAndRecord, .multiRoute].contains(category))
            }
        }
        #expect(
            isAllowed(.playAndRecord, .default, [.defaultToSpeaker, .allowAirPlay])
                && !isAllowed(.playback, .default, .defaultToSpeaker))
        #expect(!isAllowed(.playback, .default, AudioCategoryOptions(rawValue: 0x8000_0000)), "an unknown bit is legal")
        #expect(throws: AudioSessionErrorCode.badParam) {
            try AudioConfiguration(category: .ambient, options: .mixWithOthers)
        }
        #expect(AudioSessionErrorCode.badParam.rawValue == -50)
    }

    @Test func ambientCategoryAndMixingOptionsAreMixable() throws {
        for category in AudioCategory.allCases {
            #expect(try AudioConfiguration(category: category).isMixable == (category == .ambient), "\(category)")
        }
        for option: AudioCategoryOptions in [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers] {
            #expect(try AudioConfiguration(category: .playback, options: option).isMixable)
        }
    }

    @Test("the error codes are four-character codes")
    func errorCodesAreFourCharacterCodes() {
        let codes: [AudioSessionErrorCode: String] = [
            .mediaServicesFailed: "msrv", .isBusy: "!act", .incompatibleCategory: "!cat",
            .cannotInterruptOthers: "!int",
            .missingEntitlement: "ent?", .siriIsRecording: "siri", .cannotStartPlaying: "!pla",
            .cannotStartRecording: "!rec",
            .insufficientPriority: "!pri", .resourceNotAvailable: "!res", .unspecified: "what", .expiredSession: "!ses",
            .sessionNotActive: "inac",
        ]
        for (code, text) in codes { #expect(text.utf8.reduce(0) { $0 << 8 | Int32($1) } == code.rawValue, "\(text)") }
        #expect(codes.count == AudioSessionErrorCode.allCases.count - 1)
    }
}
