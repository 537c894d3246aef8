import Testing

@testable import AudioOutput

@Suite struct SoundServerDevicesTests {
    @Test func outputsHaveTheNamesOfALSAsPlugIns() {
        let sink = "alsa_output.pci-0000_00_1f.3.analog-stereo"
        #expect(SoundServerDevices.Plugin.pulse.deviceName(ofSink: sink) == "pulse:" + sink)
        #expect(SoundServerDevices.Plugin.pipewire.deviceName(ofSink: sink) == "pipewire:NODE=" + sink)
    }

    /// The sound server of the tests has an output `null` (scripts/desk).
    @Test func outputsOfTheSoundServerPrecedeTheDevicesOfALSA() {
        let devices = AudioDeviceList.all
        #expect(devices.first == AudioDevice(name: "pulse:null", title: "Null Output"))
        #expect(devices.contains { $0.name == "pulse" })
    }

    @Test(
        "names that ALSA would parse as several arguments are left out",
        arguments: ["", "a,b", "a b", "a:b", "a'b", "ä"])
    func namesWithOtherCharactersAreLeftOut(_ sink: String) {
        #expect(SoundServerDevices.Plugin.pulse.deviceName(ofSink: sink) == nil)
    }
}
