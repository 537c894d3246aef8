import AudioPolicy
import Testing

@testable import AudioOutput

@Suite struct AudioCardInfoTests {
    /// Returns the description of a sound card.
    private func card(
        _ bus: AudioCardInfo.Bus = .internalBus, control: String = "hw:1", isDefault: Bool = false,
        jacks: [String] = []
    ) -> AudioCardInfo {
        AudioCardInfo(
            control: control, name: "Card", bus: bus, isDefault: isDefault,
            jacks: jacks.map { AudioCardInfo.Jack($0, isPlugged: false) })
    }

    @Test(
        "The driver's name of a jack determines its kind",
        arguments: [
            ("Headphone Jack", AudioRoute.Port.headphones), ("Headset Jack", .headphones),
            ("Front Headphone Front Jack", .headphones), ("HDMI/DP,pcm=3 Jack", .hdmi), ("DP Jack", .hdmi),
            ("Line Out Jack", .lineOut), ("Line Out Side Jack", .lineOut), ("Speaker Jack", .lineOut),
        ])
    func jackNameDeterminesThePort(_ name: String, _ port: AudioRoute.Port) {
        #expect(AudioCardInfo.Jack(name, isPlugged: true).port == port)
    }

    @Test(
        "Inputs, phantom jacks and unknown controls have no output",
        arguments: [
            "Mic Jack", "Headset Mic Jack", "Headphone Phantom Jack", "Speaker Phantom Jack", "Line Jack",
            "Headphone Playback Switch", "",
        ])
    func inputsAndUnknownControlsHaveNoPort(_ name: String) {
        #expect(AudioCardInfo.Jack(name, isPlugged: true).port == nil)
        #expect(card().route(AudioCardInfo.Jack(name, isPlugged: true)) == nil)
    }

    @Test("The default card is opened as `default`, another card with its number")
    func defaultCardIsOpenedByNameAndOthersByNumber() {
        #expect(card(isDefault: true).device == "default")
        #expect(card().device == "default:1" && card(control: "hw:12").device == "default:12")
        #expect(card(control: "bluealsa").device == "default:bluealsa")
    }

    @Test("The bus determines the route while nothing is plugged in")
    func busDeterminesTheRouteWhileNothingIsPluggedIn() {
        #expect(card(.usb).unpluggedRoute?.port == .usb && card(.bluetooth).unpluggedRoute?.port == .bluetooth)
        #expect(card(.server).unpluggedRoute?.port == .soundServer)
        #expect(card().unpluggedRoute == AudioRoute(device: "default:1", port: .speaker, name: "Card"))
    }

    @Test("A graphics card, which has only HDMI jacks, has no route while nothing is plugged in")
    func unpluggedGraphicsCardHasNoRoute() {
        #expect(card(jacks: ["HDMI/DP,pcm=3 Jack", "HDMI/DP,pcm=7 Jack"]).unpluggedRoute == nil)
        #expect(card(jacks: ["HDMI/DP,pcm=3 Jack", "Mic Jack"]).unpluggedRoute == nil)
        #expect(card(jacks: ["HDMI/DP,pcm=3 Jack", "Headphone Jack"]).unpluggedRoute?.port == .speaker)
        #expect(card(jacks: ["Mic Jack"]).unpluggedRoute?.port == .speaker, "inputs say nothing about outputs")
        #expect(card(.usb, jacks: ["HDMI/DP,pcm=3 Jack"]).unpluggedRoute?.port == .usb)
    }

    @Test("Each HDMI jack of an internal card has a PCM of its own")
    func eachHDMIJackOfAnInternalCardHasItsOwnPCM() {
        let route = card().route(AudioCardInfo.Jack("HDMI/DP,pcm=10 Jack", isPlugged: true))
        #expect(route == AudioRoute(device: "plughw:1,10", port: .hdmi, name: "Card"))
        let usbRoute = card(.usb).route(AudioCardInfo.Jack("HDMI/DP,pcm=3 Jack", isPlugged: true))
        #expect(usbRoute?.device == "default:1")
    }

    @Test("An HDMI jack without a number uses the card's PCM")
    func hdmiJackWithoutANumberUsesTheCardsPCM() {
        #expect(card().route(AudioCardInfo.Jack("HDMI Jack", isPlugged: true))?.device == "default:1")
    }

    @Test("Headphones use the card's PCM")
    func headphonesUseTheCardsPCM() {
        let route = card(isDefault: true).route(AudioCardInfo.Jack("Headphone Jack", isPlugged: true))
        #expect(route == AudioRoute(device: "default", port: .headphones, name: "Card"))
    }
}
