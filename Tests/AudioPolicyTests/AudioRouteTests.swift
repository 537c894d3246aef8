import Testing

@testable import AudioPolicy

@Suite struct AudioRouteTests {
    @Test(arguments: [
        ("pulse", AudioRoute.Port.server), ("pipewire", .server), ("jack", .server), ("hdmi", .hdmi),
        ("bluealsa", .bluetooth),
        ("iec958", .lineOut), ("default", .speaker), ("hw", .speaker), ("plughw", .speaker),
    ])
    func theKindOfDeviceSaysWhatItLeadsTo(_ kind: String, _ port: AudioRoute.Port) {
        #expect(AudioRoute(alsaDevice: kind).port == port)
        #expect(AudioRoute(alsaDevice: "\(kind):CARD=x,DEV=0").port == port)
    }

    @Test func aNamedDeviceIsItsOwnName() {
        let route = AudioRoute(alsaDevice: "hdmi:CARD=PCH")
        #expect(route.device == "hdmi:CARD=PCH" && route.name == "hdmi:CARD=PCH")
    }

    @Test func theKindEndsAtTheColon() {
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

    @Test func theReasonsHaveAVAudioSessionsNumbers() {
        #expect(RouteChange.Reason.allCases.map(\.rawValue).sorted() == [0, 1, 2, 3, 4, 6, 7, 8])
        #expect(RouteChange.Reason.oldDeviceUnavailable.rawValue == 2 && RouteChange.Reason.override.rawValue == 4)
    }

    @Test(arguments: RouteChange.Reason.allCases) func onlyALostDeviceLosesTheSound(_ reason: RouteChange.Reason) {
        let change = RouteChange(reason, from: AudioRoute(alsaDevice: "default"), to: nil)
        #expect(change.losesSound == [.oldDeviceUnavailable, .noSuitableRouteForCategory].contains(reason))
    }
}

@Suite struct AudioCategoryTests {
    @Test func onlyRecordingHasNoOutput() {
        #expect(AudioCategory.allCases.filter { !$0.hasOutput } == [.record])
    }

    @Test func categoriesThatRecordHaveInput() {
        #expect(AudioCategory.allCases.filter(\.hasInput) == [.record, .playAndRecord, .multiRoute])
    }

    @Test func theSilentSwitchSilencesAmbientSoundOnly() {
        #expect(AudioCategory.allCases.filter(\.obeysSilentSwitch) == [.ambient, .soloAmbient])
    }

    @Test func mixingIsAnOptionOfThreeCategories() {
        #expect(AudioCategory.allCases.filter(\.mayMix) == [.playback, .playAndRecord, .multiRoute])
    }

    @Test func aCategoryThatMayMixHasTheOptionAndNoOtherHas() {
        for category in AudioCategory.allCases {
            #expect(
                AudioCategoryOptions.legal(with: category).contains(.mixWithOthers) == category.mayMix, "\(category)")
            #expect(AudioCategoryOptions.legal(with: category).contains(.duckOthers) == category.mayMix, "\(category)")
        }
    }

    @Test func theOptionsHaveAVAudioSessionsBits() {
        #expect(AudioCategoryOptions.mixWithOthers.rawValue == 1 && AudioCategoryOptions.duckOthers.rawValue == 2)
        #expect(AudioCategoryOptions.interruptSpokenAudioAndMixWithOthers.rawValue == 17)
        #expect(AudioCategoryOptions.interruptSpokenAudioAndMixWithOthers.contains(.mixWithOthers))
        let others: [AudioCategoryOptions] = [
            .allowBluetoothHFP, .defaultToSpeaker, .allowBluetoothA2DP, .allowAirPlay,
            .overrideMutedMicrophoneInterruption,
        ]
        #expect(others.map(\.rawValue) == [0x04, 0x08, 0x20, 0x40, 0x80])
    }

    @Test func theDefaultModeIsLegalEverywhere() {
        #expect(AudioCategory.allCases.allSatisfy { AudioMode.default.isLegal(with: $0) })
    }

    @Test func ambientSoundHasNoOtherMode() {
        for category in [AudioCategory.ambient, .soloAmbient] {
            #expect(AudioMode.allCases.filter { $0.isLegal(with: category) } == [.default])
        }
    }

    @Test func everyModeHasACategory() {
        for mode in AudioMode.allCases {
            #expect(AudioCategory.allCases.contains { mode.isLegal(with: $0) }, "\(mode)")
        }
    }
}
