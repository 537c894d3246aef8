import Testing

@testable import AudioPolicy

@Suite struct AudioRouteTests {
    @Test(arguments: [
        ("pulse", AudioRoute.Port.soundServer), ("pipewire", .soundServer), ("jack", .soundServer), ("hdmi", .hdmi),
        ("bluealsa", .bluetooth),
        ("iec958", .lineOut), ("default", .speaker), ("hw", .speaker), ("plughw", .speaker),
    ])
    func kindOfALSADeviceDeterminesThePort(_ kind: String, _ port: AudioRoute.Port) {
        #expect(AudioRoute(alsaDevice: kind).port == port)
        #expect(AudioRoute(alsaDevice: "\(kind):CARD=x,DEV=0").port == port)
    }

    @Test func nameOfAnALSADeviceIsTheNameOfTheRoute() {
        let route = AudioRoute(alsaDevice: "hdmi:CARD=PCH")
        #expect(route.device == "hdmi:CARD=PCH" && route.name == "hdmi:CARD=PCH")
    }

    @Test func kindOfALSADeviceEndsAtTheColon() {
        #expect(AudioRoute(alsaDevice: "hdmi2").port == .speaker)
        #expect(AudioRoute(alsaDevice: "plug:hdmi").port == .speaker)
        #expect(AudioRoute(alsaDevice: "").port == .speaker)
    }

    @Test func routesDifferByDevicePortAndName() {
        let route = AudioRoute(device: "default", port: .usb, name: "Headset")
        #expect(route != AudioRoute(device: "hw:1", port: .usb, name: "Headset"))
        #expect(route != AudioRoute(device: "default", port: .speaker, name: "Headset"))
        #expect(route != AudioRoute(device: "default", port: .usb, name: "Speakers"))
    }

    @Test func routeChangeReasonsHaveTheRawValuesOfAVAudioSession() {
        #expect(RouteChange.Reason.allCases.map(\.rawValue).sorted() == [0, 1, 2, 3, 4, 6, 7, 8])
        #expect(RouteChange.Reason.oldDeviceUnavailable.rawValue == 2 && RouteChange.Reason.override.rawValue == 4)
    }

    @Test(arguments: RouteChange.Reason.allCases) func onlyRouteChangesWithoutADeviceLoseOutput(
        _ reason: RouteChange.Reason
    ) {
        let change = RouteChange(reason, from: AudioRoute(alsaDevice: "default"), to: nil)
        #expect(change.losesOutput == [.oldDeviceUnavailable, .noSuitableRouteForCategory].contains(reason))
    }
}

@Suite struct AudioCategoryTests {
    @Test func onlyTheRecordCategoryHasNoOutput() {
        #expect(AudioCategory.allCases.filter { !$0.hasOutput } == [.record])
    }

    @Test func categoriesThatRecordHaveInput() {
        #expect(AudioCategory.allCases.filter(\.hasInput) == [.record, .playAndRecord, .multiRoute])
    }

    @Test func silentSwitchMutesOnlyAmbientCategories() {
        #expect(AudioCategory.allCases.filter(\.isSilencedBySwitch) == [.ambient, .soloAmbient])
    }

    @Test func mixingIsAnOptionOfThreeCategories() {
        #expect(AudioCategory.allCases.filter(\.permitsMixing) == [.playback, .playAndRecord, .multiRoute])
    }

    @Test func onlyMixableCategoriesHaveTheMixingOptions() {
        for category in AudioCategory.allCases {
            #expect(
                AudioCategoryOptions.allowed(with: category).contains(.mixWithOthers) == category.permitsMixing,
                "\(category)")
            #expect(
                AudioCategoryOptions.allowed(with: category).contains(.duckOthers) == category.permitsMixing,
                "\(category)")
        }
    }

    @Test func categoryOptionsHaveTheRawValuesOfAVAudioSession() {
        #expect(AudioCategoryOptions.mixWithOthers.rawValue == 1 && AudioCategoryOptions.duckOthers.rawValue == 2)
        #expect(AudioCategoryOptions.interruptSpokenAudioAndMixWithOthers.rawValue == 17)
        #expect(AudioCategoryOptions.interruptSpokenAudioAndMixWithOthers.contains(.mixWithOthers))
        let otherOptions: [AudioCategoryOptions] = [
            .allowBluetoothHFP, .defaultToSpeaker, .allowBluetoothA2DP, .allowAirPlay,
            .overrideMutedMicrophoneInterruption,
        ]
        #expect(otherOptions.map(\.rawValue) == [0x04, 0x08, 0x20, 0x40, 0x80])
    }

    @Test func defaultModeIsLegalInEveryCategory() {
        #expect(AudioCategory.allCases.allSatisfy { AudioMode.default.isAllowed(with: $0) })
    }

    @Test func ambientCategoriesHaveOnlyTheDefaultMode() {
        for category in [AudioCategory.ambient, .soloAmbient] {
            #expect(AudioMode.allCases.filter { $0.isAllowed(with: category) } == [.default])
        }
    }

    @Test func everyAudioModeIsLegalInSomeCategory() {
        for mode in AudioMode.allCases {
            #expect(AudioCategory.allCases.contains { mode.isAllowed(with: $0) }, "\(mode)")
        }
    }
}
