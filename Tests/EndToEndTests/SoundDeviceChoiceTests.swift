import Foundation
import TestSupport
import Testing

@Suite("The choice of a sound device, and devices that cannot be opened")
struct SoundDeviceChoiceTests {
    @Test(
        "a device that is not there, or another program's, is told of with what to do, and the picture plays",
        arguments: [
            ("--audio-device=alsa/no-such-device", "ok", "aplay -L"),
            ("--audio-device=alsa/standin", "ebusy", "Another program holds the device"),
        ])
    func unavailable(option: String, command: String, advice: String) async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say(command)
            let player = try RunningPlayer(
                "short.mp4", options: ["--vo=null", option], environment: device.environment)
            #expect(try player.child.waitForExit().isSuccess)
            #expect(
                player.child.errors.text.contains("no sound: ALSA device") && player.child.errors.text.contains(advice),
                "\(player.child.errors.text)")
            #expect(device.framesHeard == 0)
        }
    }

    @Test("where no device could be had another one that is chosen is opened, and sound joins in where playing is")
    func chosenLater() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("ebusy")
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"], environment: device.environment)
            func expectWarnings(_ count: Int) {
                let warnings = { player.child.errors.text.components(separatedBy: "no sound:").count - 1 }
                #expect(
                    Deadline.poll(for: .seconds(10)) { warnings() == count ? true : nil } == true,
                    "\(player.child.errors.text)")
            }
            expectWarnings(1)
            // Again none: told again.
            try player.ipc.setProperty("audio-device", "alsa/no-such-device")
            expectWarnings(2)
            try player.ipc.waitForProperty("time-pos") { $0.number.map { $0 > 1 } == true }
            #expect(device.framesHeard == 0)
            try device.say("ok")
            try player.ipc.setProperty("audio-device", "alsa/standin")
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            #expect(try player.ipc.property("time-pos").number.map { $0 > 1 } == true)
            expectWarnings(2)
            try player.quit()
        }
    }

    @Test("sound alone takes its time where no device can be had: a list of music does not run through")
    func musicWithoutDevice() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("ebusy")
            let player = try RunningPlayer("audio.ogg", options: ["--vo=null"], environment: device.environment)
            try player.ipc.waitForProperty("time-pos") { $0.number.map { $0 > 0.5 } == true }
            #expect(try player.child.waitForExit().isSuccess)
            #expect(
                device.framesHeard == 0 && player.child.errors.text.components(separatedBy: "no sound").count == 2,
                "\(player.child.errors.text)")
        }
    }

    @Test("a device that another program has at first is tried again, and heard when it is free")
    func busyAtFirst() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("ebusy")
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"], environment: device.environment)
            try device.wait("a second try") { $0.count { $0.word == "refused" } == 2 }
            try device.say("ok")
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            try player.quit()
        }
    }

    @Test("--audio-device=help lists the devices, by the names that it takes")
    func help() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            let player = try ChildProcess(Products.swiftplay, ["--audio-device=help"], environment: device.environment)
            #expect(try player.waitForExit().isSuccess)
            #expect(
                player.output.text.hasPrefix("List of detected audio devices:\n  'auto' (Autoselect device)\n"),
                "\(player.output.text)")
            #expect(player.output.text.contains("'alsa/"))
        }
    }

    @Test(
        "the sound server hears what kind of sound it is, unless the user has said so",
        arguments: [
            ("short.mp4", nil, "video"), ("audio.ogg", nil, "music"), ("short.mp4", "phone", "phone"),
        ])
    func role(clip: String, said: String?, role: String) async throws {
        try await Desk.alone {
            let player = try RunningPlayer(
                clip, options: ["--vo=null"], environment: said.map { ["PULSE_PROP_media.role": $0] } ?? [:])
            let seen = Deadline.poll(for: .seconds(10)) { () -> String? in
                guard let text = try? run("pactl", ["list", "sink-inputs"]),
                    let line = text.split(separator: "\n").first(where: {
                        $0.contains("media.role")
                    })
                else { return nil }
                return String(line)
            }
            #expect(seen?.contains("\"\(role)\"") == true, "\(seen ?? "no role")")
            try player.quit()
        }
    }
}
