import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite("Choice of the audio device")
struct AudioDeviceChoiceTests {
    @Test(
        "a missing or busy device is reported with advice, and the video plays",
        arguments: [
            ("--audio-device=alsa/no-such-device", "ok", "aplay -L"),
            ("--audio-device=alsa/standin", "ebusy", "Another program holds the device"),
        ])
    func unavailableDeviceIsReportedWithAdvice(option: String, command: String, advice: String) async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send(command)
            let player = try RunningPlayer(
                "short.mp4", options: ["--vo=null", option], environment: device.environment)
            #expect(try player.child.waitForExit().isSuccess)
            #expect(
                player.child.errors.text.contains("no sound: ALSA device") && player.child.errors.text.contains(advice),
                "\(player.child.errors.text)")
            #expect(device.playedFrameCount == 0)
        }
    }

    @Test("after a failure another device can be chosen, and audio joins at the current position")
    func audioStartsInSyncOnADeviceThatIsChosenLater() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("ebusy")
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"], environment: device.environment)
            func expectWarningCount(_ count: Int) {
                let warningCount = { player.child.errors.text.components(separatedBy: "no sound:").count - 1 }
                #expect(
                    Deadline.poll(for: .seconds(10)) { warningCount() == count ? true : nil } == true,
                    "\(player.child.errors.text)")
            }
            expectWarningCount(1)
            // The player also reports the failure of a second device.
            try player.ipc.setProperty("audio-device", "alsa/no-such-device")
            expectWarningCount(2)
            try player.ipc.waitForProperty("time-pos") { $0.number.map { $0 > 1 } == true }
            #expect(device.playedFrameCount == 0)
            try device.send("ok")
            try player.ipc.setProperty("audio-device", "alsa/standin")
            #expect(try device.record().toneAmplitude(200) > 0.018)
            #expect(try player.ipc.property("time-pos").number.map { $0 > 1 } == true)
            expectWarningCount(2)
            try player.quit()
        }
    }

    @Test("without a device an audio file of 3 s takes at least 3 s")
    func audioFilePlaysInRealTimeWithoutADevice() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("ebusy")
            let start = MonotonicTime.now
            let player = try RunningPlayer("audio.ogg", options: ["--vo=null"], environment: device.environment)
            try player.ipc.waitForProperty("time-pos") { $0.number.map { $0 > 0.5 } == true }
            #expect(try player.child.waitForExit().isSuccess)
            #expect(MonotonicTime.now - start >= 3 * MonotonicTime.nanosecondsPerSecond)
            #expect(
                device.playedFrameCount == 0 && player.child.errors.text.components(separatedBy: "no sound").count == 2,
                "\(player.child.errors.text)")
        }
    }

    @Test("a busy device is tried again, and plays when it is free")
    func busyDeviceIsReopenedUntilItIsFree() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("ebusy")
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"], environment: device.environment)
            try device.wait("a second try") { $0.count { $0.kind == "refused" } == 2 }
            try device.send("ok")
            #expect(try device.record().toneAmplitude(200) > 0.018)
            try player.quit()
        }
    }

    @Test("--audio-device=help lists the names that the option takes")
    func helpOptionListsTheAudioDevices() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            let player = try ChildProcess(
                Products.swiftplayPath, ["--audio-device=help"], environment: device.environment)
            #expect(try player.waitForExit().isSuccess)
            #expect(
                player.output.text.hasPrefix("List of detected audio devices:\n  'auto' (Autoselect device)\n"),
                "\(player.output.text)")
            #expect(player.output.text.contains("'alsa/"))
        }
    }

    @Test(
        "the sound server receives the program's name and the media role, unless the user has set a role",
        arguments: [
            ("short.mp4", nil, "video"), ("audio.ogg", nil, "music"), ("short.mp4", "phone", "phone"),
        ])
    func soundServerReceivesTheNameAndTheMediaRole(clip: String, roleSetByUser: String?, role: String) async throws {
        try await TestEnvironment.runExclusively {
            let player = try RunningPlayer(
                clip, options: ["--vo=null"], environment: roleSetByUser.map { ["PULSE_PROP_media.role": $0] } ?? [:])
            let entry = Deadline.poll(for: .seconds(10)) { () -> String? in
                guard let text = try? run("pactl", ["list", "sink-inputs"]) else { return nil }
                let entries = text.components(separatedBy: "\n\n")
                return entries.first { $0.contains("media.role") }
            }
            #expect(entry?.contains("media.role = \"\(role)\"") == true, "\(entry ?? "no role")")
            #expect(entry?.contains("application.name = \"swiftplay\"") == true, "\(entry ?? "no name")")
            try player.quit()
        }
    }
}
