import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Devices that fail, on a stand-in that is a real ALSA plug-in: the picture goes on, the sound comes back where it
/// can, nobody waits for ever.
@Suite("Sound devices")
struct SoundDeviceTests {
    /// How much of a processor a process uses while something is waited for.
    private func share(of pid: Int32, _ wait: () throws -> Void) rethrows -> Double {
        let before = processorTime(pid), start = MonotonicTime.now
        try wait()
        return (processorTime(pid) - before) * 1e9 / Double(MonotonicTime.now - start)
    }

    /// Seconds of the processor that a process has used.
    private func processorTime(_ pid: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func statistics(_ scratch: Scratch) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
    }

    @Test("what the device has queued is 45 to 60 ms of sound, and all of it is right", .measuresTime)
    func queue() async throws {
        try await Desk.alone {
            let device = try SoundStandIn(), scratch = try Scratch()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--stats=\(scratch.file("stats"))"],
                environment: device.environment)
            #expect(try device.hear(frames: 96_000).toneAmplitude(200) > 0.018)
            let log = device.log
            #expect(log.first { $0.word == "buffer" }?.number == 2_880)
            #expect(log.first { $0.word == "period" }?.number == 720)
            try player.quit()
            let heard = device.heard.trimmed()
            #expect(heard.clicks().isEmpty)
            #expect(zip(heard.beeps, heard.beeps.dropFirst()).allSatisfy { abs($1 - $0 - 1_000_000_000) < 5_000_000 })
            #expect(try statistics(scratch)["audio-losses"] == 0)
        }
    }

    @Test(
        "of a device with a long queue no more than three periods are used, and it is not asked without end",
        .measuresTime)
    func deepQueue() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("deep")
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"], environment: device.environment)
            _ = try device.hear(frames: 24_000)
            var heard = SoundRecording(samples: [])
            let busy = try share(of: player.child.pid) { heard = try device.hear(frames: 96_000) }
            #expect(heard.toneAmplitude(200) > 0.018)
            #expect(busy < 0.5, "\(busy) of a core")
            try player.quit()
            #expect(device.log.first { $0.word == "buffer" }?.number == 16_384)
            #expect(device.log.first { $0.word == "start" }?.number == 3_072)
            #expect(device.count("xrun") == 0, "\(device.log)")
            #expect(device.heard.trimmed().clicks().isEmpty)
        }
    }

    @Test(
        "it fails for a while: the picture goes on, and the sound comes back", .measuresTime,
        arguments: ["eio-poll", "epipe", "estrpipe", "enodev", "gone", "stuck"])
    func failure(command: String) async throws {
        try await Desk.alone {
            let device = try SoundStandIn(), scratch = try Scratch()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--stats=\(scratch.file("stats"))"], environment: device.environment)
            let watcher = try ScreenWatcher(), eyes = try ScreenRecorder([.player])
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 20 }
            let begin = try eyes.wait { ($0.frame ?? 0) >= frame }
            try device.say(command)
            try watcher.waitForFrame(in: .player) { $0 >= frame + 75 }
            try device.say("ok")
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            let later = try #require(watcher.frame(in: .player))
            let end = try eyes.wait { ($0.frame ?? 0) >= later + 30 }
            let seen = eyes.recording.between(begin.time, end.time)
            #expect(seen.missed.count <= 3, "missed \(seen.missed)")
            // A busy machine holds a picture up, too; what waits for a device waits a second and more.
            #expect(seen.longestFreeze < 700_000_000, "\(seen.longestFreeze)")
            #expect(seen.backwardSteps(in: .player) == 0)
            #expect(try player.quit().isSuccess)
            let figures = try statistics(scratch)
            #expect(
                (figures["audio-losses"]?.number ?? 0) >= 1 && (figures["audio-returns"]?.number ?? 0) >= 1,
                "\(figures)")
            #expect((figures["audio-tries"]?.number ?? 99) <= 10, "\(figures)")
            #expect(
                player.child.errors.text.contains("no sound until the device is back"), "\(player.child.errors.text)")
        }
    }

    @Test("it fails once, and goes on by itself", arguments: ["eio-poll 1", "epipe 1", "estrpipe 1"])
    func hiccup(command: String) async throws {
        try await Desk.alone {
            let device = try SoundStandIn(), scratch = try Scratch()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--stats=\(scratch.file("stats"))"],
                environment: device.environment)
            _ = try device.hear(frames: 24_000)
            try device.say(command)
            try device.wait("another start") { $0.count { $0.word == "start" } >= 2 }
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            try player.quit()
            #expect(device.count("open") == 1, "it is not opened anew")
            let figures = try statistics(scratch)
            // A busy machine may let it run dry besides.
            #expect(figures["audio-losses"] == 0 && (figures["audio-recoveries"]?.number ?? 0) >= 1, "\(figures)")
        }
    }

    @Test(
        "it is late with the first sound: time stands with the picture until then; where both went on without it the sound joins them",
        arguments: [false, true])
    func lateStart(_ isTooLate: Bool) async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("stuck")
            let player = try RunningPlayer("count30.mp4", environment: device.environment)
            let watcher = try ScreenWatcher()
            var times: [(time: Double, frame: Int)] = []
            func look(until isDone: () -> Bool) throws {
                let isThere = try Deadline.poll(for: .seconds(15), every: .milliseconds(10)) { () -> Bool? in
                    let frame = watcher.frame(in: .player) ?? 0, time = try player.ipc.property("time-pos").number ?? 0
                    times.append((time, frame))
                    return isDone() ? true : nil
                }
                #expect(isThere == true, "\(times.suffix(10))")
            }
            try watcher.waitForFrame(in: .player)
            try device.wait("a write that does not return") { $0.count { $0.word == "stuck" } >= 1 }
            if isTooLate {
                try look { (times.last?.time ?? 0) >= 1 }
            } else {
                try look { times.count == 25 }
                #expect(times.allSatisfy { $0.time == 0 && $0.frame == 0 }, "\(times)")
            }
            try device.say("ok")
            try look { (times.last?.time ?? 0) >= 2 }
            #expect(
                zip(times, times.dropFirst()).allSatisfy { $0.time <= $1.time + 0.1 && $0.frame <= $1.frame + 1 },
                "\(times)")
            #expect(times.allSatisfy { abs($0.time - Double($0.frame) / 30) < 0.5 }, "\(times)")
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            try player.quit()
        }
    }

    @Test("its clock runs at half speed: it is tried twice more, and the picture goes by the system's clock")
    func slowClock() async throws {
        try await Desk.alone {
            let device = try SoundStandIn(), scratch = try Scratch()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--stats=\(scratch.file("stats"))"], environment: device.environment)
            let watcher = try ScreenWatcher(), eyes = try ScreenRecorder([.player])
            try watcher.waitForFrame(in: .player) { $0 >= 20 }
            try device.say("half")
            let isGivenUp = Deadline.poll(for: .seconds(15)) { player.child.errors.text.contains("tries") ? true : nil }
            #expect(isGivenUp == true, "\(player.child.errors.text)")
            #expect(player.child.errors.text.contains("its clock is wrong"))
            #expect(device.count("open") == 3)
            // It had been held up a little: that is made up for first.
            let frame = try #require(watcher.frame(in: .player))
            let begin = try eyes.wait { ($0.frame ?? 0) >= frame + 120 },
                end = try eyes.wait { ($0.frame ?? 0) >= frame + 180 }
            #expect(abs(Double(end.time - begin.time) / 1e9 - 2) < 0.8, "60 frames took \(end.time - begin.time) ns")
            #expect(eyes.recording.between(begin.time, end.time).longestFreeze < 700_000_000)
            // The user asks for sound once more.
            try device.say("ok")
            try player.ipc.setProperty("pause", true)
            try player.ipc.setProperty("pause", false)
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            try player.quit()
            #expect(try statistics(scratch)["audio-returns"] == 3)
        }
    }

    @Test("it does not come back: ten tries, which cost nothing, and more only when playing is asked for")
    func givenUp() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            let player = try RunningPlayer("count30.mp4", options: ["--vid=no"], environment: device.environment)
            _ = try device.hear()
            let normal = try share(of: player.child.pid) { _ = try device.hear(frames: 192_000) }
            try device.say("enodev")
            let retrying = share(of: player.child.pid) {
                let isGivenUp = Deadline.poll(for: .seconds(15)) {
                    player.child.errors.text.contains("10 attempts") ? true : nil
                }
                #expect(isGivenUp == true, "\(player.child.errors.text)")
            }
            #expect(device.count("open") == 11)
            // Reading and decoding go on meanwhile.
            #expect(retrying < normal + 0.05, "\(retrying) of a core, \(normal) while it plays")
            #expect(try player.ipc.property("pause") == false)
            try device.say("ok")
            try player.ipc.setProperty("pause", true)
            try player.ipc.setProperty("pause", false)
            #expect(try device.hear().toneAmplitude(200) > 0.018)
            #expect(try player.quit().isSuccess)
        }
    }

    @Test("a write that never returns holds up neither pause nor quitting")
    func stuckForEver() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            let player = try RunningPlayer("count30.mp4", environment: device.environment),
                watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 20 }
            try device.say("stuck")
            try device.wait("stuck") { $0.contains { $0.word == "stuck" } }
            _ = try player.pause(watcher)
            #expect(try player.ipc.property("pause") == true)
            #expect(try player.quit().isSuccess)
        }
    }

    @Test("a device that never opens holds up neither the picture nor quitting")
    func neverOpens() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("slow-open")
            let player = try RunningPlayer("count30.mp4", environment: device.environment),
                watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 30 }
            #expect(try player.quit().isSuccess)
            #expect(device.count("open") == 1)
        }
    }

    @Test("it cannot pause: nothing is lost and nothing is heard twice", .measuresTime)
    func pause() async throws {
        try await Desk.alone {
            let device = try SoundStandIn()
            try device.say("no-pause")
            let player = try RunningPlayer("short.mp4", options: ["--vo=null"], environment: device.environment)
            for pause in 1...2 {
                _ = try device.hear(frames: 16_000)
                try player.ipc.setProperty("pause", true)
                try device.wait("a stop") { $0.count { $0.word == "drop" } >= pause }
                try player.ipc.setProperty("pause", false)
            }
            #expect(try player.child.waitForExit().isSuccess)
            #expect(device.count("pause") == 0)
            let heard = device.heard
            // The silence of the pauses left out, the beeps are a second apart to the millisecond.
            let sound = SoundRecording(
                samples: heard.silentGaps(shortest: .milliseconds(5)).reversed().reduce(heard.samples) { rest, gap in
                    Array(rest[..<heard.index(at: gap.start)] + rest[heard.index(at: gap.start + gap.duration)...])
                })
            let beeps = sound.beeps
            try #require(beeps.count >= 2)
            #expect(abs(beeps[1] - beeps[0] - 1_000_000_000) < 20_000_000, "\(beeps)")
            #expect(heard.clicks().isEmpty)
        }
    }
}
