import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests audio devices that fail, with a simulated ALSA device: video continues, audio returns when the device works
/// again, and the player never waits for the device forever.
@Suite("Audio devices")
struct AudioDeviceTests {
    /// Returns the processor load of a process while `activity` runs; 1 is one fully used processor core.
    private func processorLoad(of pid: Int32, _ activity: () throws -> Void) rethrows -> Double {
        let initialTime = processorTime(pid), start = MonotonicTime.now
        try activity()
        return (processorTime(pid) - initialTime) * 1e9 / Double(MonotonicTime.now - start)
    }

    /// Returns the processor time that a process has used, in seconds.
    private func processorTime(_ pid: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the content of the file `stats`, which the player wrote because of the option `--stats`.
    private func statistics(_ scratch: TemporaryDirectory) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(scratch.text("stats").utf8))
    }

    @Test("the device has a buffer of 60 ms with periods of 20 ms, and all samples are right", .measuresTime)
    func deviceBufferIsShortAndAllSamplesArePlayed() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn(), scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--stats=\(scratch.file("stats"))"],
                environment: device.environment)
            #expect(try device.record(frameCount: 96_000).toneAmplitude(200) > 0.018)
            let log = device.log
            #expect(log.first { $0.kind == "buffer" }?.value == 2_880)
            #expect(log.first { $0.kind == "period" }?.value == 960)
            try player.quit()
            let recording = device.recording.trimmed()
            #expect(recording.clickTimes().isEmpty)
            let beeps = recording.beepTimes
            #expect(zip(beeps, beeps.dropFirst()).allSatisfy { abs($1 - $0 - 1_000_000_000) < 5_000_000 })
            #expect(try statistics(scratch)["audio-losses"] == 0)
        }
    }

    @Test(
        "a device with a long queue is filled with three periods at most, without busy polling",
        .measuresTime)
    func longDeviceBufferIsNotFilled() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("deep")
            let player = try RunningPlayer("count30.mp4", options: ["--vo=null"], environment: device.environment)
            _ = try device.record(frameCount: 24_000)
            var recording = AudioRecording(samples: [])
            let load = try processorLoad(of: player.child.pid) { recording = try device.record(frameCount: 96_000) }
            #expect(recording.toneAmplitude(200) > 0.018)
            #expect(load < 0.5, "\(load) of a core")
            try player.quit()
            #expect(device.log.first { $0.kind == "buffer" }?.value == 16_384)
            #expect(device.log.first { $0.kind == "start" }?.value == 3_072)
            #expect(device.logEntryCount(ofKind: "xrun") == 0, "\(device.log)")
            #expect(device.recording.trimmed().clickTimes().isEmpty)
        }
    }

    @Test(
        "while the device fails, video continues, and audio returns afterwards", .measuresTime,
        arguments: ["eio-poll", "epipe", "estrpipe", "enodev", "gone", "stuck"])
    func videoContinuesWhileTheDeviceFails(command: String) async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn(), scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--stats=\(scratch.file("stats"))"], environment: device.environment)
            let watcher = try ScreenWatcher(), recorder = try ScreenRecorder([.player])
            let frame = try watcher.waitForFrame(in: .player) { $0 >= 20 }
            let startChange = try recorder.wait { ($0.frame ?? 0) >= frame }
            try device.send(command)
            try watcher.waitForFrame(in: .player) { $0 >= frame + 75 }
            try device.send("ok")
            #expect(try device.record().toneAmplitude(200) > 0.018)
            let resumedFrame = try #require(watcher.frameNumber(in: .player))
            let endChange = try recorder.wait { ($0.frame ?? 0) >= resumedFrame + 30 }
            let recording = recorder.recording.between(startChange.time, endChange.time)
            #expect(recording.missedFrameNumbers.count <= 3, "missed \(recording.missedFrameNumbers)")
            // A busy machine may delay pictures briefly. A player that waits for the failed audio device shows no new
            // picture for more than a second.
            #expect(recording.longestFreeze < 700_000_000, "\(recording.longestFreeze)")
            #expect(recording.backwardStepCount(in: .player) == 0)
            #expect(try player.quit().isSuccess)
            let stats = try statistics(scratch)
            #expect(
                (stats["audio-losses"]?.number ?? 0) >= 1 && (stats["audio-returns"]?.number ?? 0) >= 1,
                "\(stats)")
            #expect((stats["audio-tries"]?.number ?? 99) <= 10, "\(stats)")
            #expect(
                player.child.errors.text.contains("no sound until the device returns"), "\(player.child.errors.text)")
        }
    }

    @Test("a single failure is repaired without a reopening", arguments: ["eio-poll 1", "epipe 1", "estrpipe 1"])
    func singleDeviceFailureIsRepairedWithoutReopeningTheDevice(command: String) async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn(), scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--vo=null", "--stats=\(scratch.file("stats"))"],
                environment: device.environment)
            _ = try device.record(frameCount: 24_000)
            try device.send(command)
            try device.wait("another start") { $0.count { $0.kind == "start" } >= 2 }
            #expect(try device.record().toneAmplitude(200) > 0.018)
            try player.quit()
            #expect(device.logEntryCount(ofKind: "open") == 1, "the device was opened again")
            let stats = try statistics(scratch)
            // On a busy machine, underruns may cause further recoveries, so there may be more than one recovery.
            #expect(stats["audio-losses"] == 0 && (stats["audio-recoveries"]?.number ?? 0) >= 1, "\(stats)")
        }
    }

    @Test(
        "time and video wait for a late device; after they have started without it, audio joins them", .measuresTime,
        arguments: [false, true])
    func playbackWaitsForALateDevice(_ startsBeforeDevice: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("stuck")
            let player = try RunningPlayer("count30.mp4", environment: device.environment)
            let watcher = try ScreenWatcher()
            var positions: [(time: Double, frame: Int)] = []
            func recordPositions(until isComplete: () -> Bool) throws {
                let hasRecordedAll = try Deadline.poll(for: .seconds(15), every: .milliseconds(10)) { () -> Bool? in
                    let frame = watcher.frameNumber(in: .player) ?? 0
                    let time = try player.ipc.property("time-pos").number ?? 0
                    positions.append((time, frame))
                    return isComplete() ? true : nil
                }
                #expect(hasRecordedAll == true, "\(positions.suffix(10))")
            }
            try watcher.waitForFrame(in: .player)
            try device.wait("a write that does not return") { $0.count { $0.kind == "stuck" } >= 1 }
            if startsBeforeDevice {
                try recordPositions { (positions.last?.time ?? 0) >= 1 }
            } else {
                try recordPositions { positions.count == 25 }
                #expect(positions.allSatisfy { $0.time == 0 && $0.frame == 0 }, "\(positions)")
            }
            try device.send("ok")
            try recordPositions { (positions.last?.time ?? 0) >= 2 }
            #expect(
                zip(positions, positions.dropFirst()).allSatisfy {
                    $0.time <= $1.time + 0.1 && $0.frame <= $1.frame + 1
                },
                "\(positions)")
            #expect(positions.allSatisfy { abs($0.time - Double($0.frame) / 30) < 0.5 }, "\(positions)")
            #expect(try device.record().toneAmplitude(200) > 0.018)
            try player.quit()
        }
    }

    @Test("a device at half speed is tried twice more, then video follows the system clock", .measuresTime)
    func videoFollowsTheSystemClockIfTheDeviceIsSlow() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn(), scratch = try TemporaryDirectory()
            let player = try RunningPlayer(
                "count30.mp4", options: ["--stats=\(scratch.file("stats"))"], environment: device.environment)
            let watcher = try ScreenWatcher(), recorder = try ScreenRecorder([.player])
            try watcher.waitForFrame(in: .player) { $0 >= 20 }
            try device.send("half")
            let isGivenUp = Deadline.poll(for: .seconds(15)) { player.child.errors.text.contains("tries") ? true : nil }
            #expect(isGivenUp == true, "\(player.child.errors.text)")
            #expect(player.child.errors.text.contains("its clock deviates"))
            #expect(device.logEntryCount(ofKind: "open") == 3)
            // Measure later, because the video first makes up for the delay that the slow device caused.
            let frame = try #require(watcher.frameNumber(in: .player))
            let startChange = try recorder.wait { ($0.frame ?? 0) >= frame + 120 },
                endChange = try recorder.wait { ($0.frame ?? 0) >= frame + 180 }
            let duration = Double(endChange.time - startChange.time) / 1e9
            #expect(abs(duration - 2) < 0.8, "60 frames took \(duration) s")
            #expect(recorder.recording.between(startChange.time, endChange.time).longestFreeze < 700_000_000)
            // Pausing and resuming makes the player open the audio device again.
            try device.send("ok")
            try player.ipc.setProperty("pause", true)
            try player.ipc.setProperty("pause", false)
            #expect(try device.record().toneAmplitude(200) > 0.018)
            try player.quit()
            #expect(try statistics(scratch)["audio-returns"] == 3)
        }
    }

    @Test("a lost device is tried ten times at little cost, then again when playback resumes")
    func tenAttemptsAreMadeToReopenALostDevice() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            let player = try RunningPlayer("count30.mp4", options: ["--vid=no"], environment: device.environment)
            _ = try device.record()
            let playbackLoad = try processorLoad(of: player.child.pid) { _ = try device.record(frameCount: 192_000) }
            try device.send("enodev")
            let retryLoad = processorLoad(of: player.child.pid) {
                let isGivenUp = Deadline.poll(for: .seconds(15)) {
                    player.child.errors.text.contains("10 attempts") ? true : nil
                }
                #expect(isGivenUp == true, "\(player.child.errors.text)")
            }
            #expect(device.logEntryCount(ofKind: "open") == 11)
            // Demuxing and decoding continue while the player tries to open the device, so the processor load is
            // compared with the load during playback.
            #expect(retryLoad < playbackLoad + 0.05, "\(retryLoad) of a core, \(playbackLoad) while it plays")
            #expect(try player.ipc.property("pause") == false)
            try device.send("ok")
            try player.ipc.setProperty("pause", true)
            try player.ipc.setProperty("pause", false)
            #expect(try device.record().toneAmplitude(200) > 0.018)
            #expect(try player.quit().isSuccess)
        }
    }

    @Test("a write that never returns blocks neither pausing nor quitting")
    func stuckWriteBlocksNeitherPausingNorQuitting() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            let player = try RunningPlayer("count30.mp4", environment: device.environment),
                watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 20 }
            try device.send("stuck")
            try device.wait("stuck") { $0.contains { $0.kind == "stuck" } }
            _ = try player.pauseAtFrame(watcher)
            #expect(try player.ipc.property("pause") == true)
            #expect(try player.quit().isSuccess)
        }
    }

    @Test("a device that never opens blocks neither video nor quitting")
    func stuckOpenBlocksNeitherVideoNorQuitting() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("slow-open")
            let player = try RunningPlayer("count30.mp4", environment: device.environment),
                watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: .player) { $0 >= 30 }
            #expect(try player.quit().isSuccess)
            #expect(device.logEntryCount(ofKind: "open") == 1)
        }
    }

    @Test("pausing a device that cannot pause neither loses nor repeats audio", .measuresTime)
    func pauseWithoutHardwareSupportLosesNoAudio() async throws {
        try await TestEnvironment.runExclusively {
            let device = try AudioDeviceStandIn()
            try device.send("no-pause")
            let player = try RunningPlayer("short.mp4", options: ["--vo=null"], environment: device.environment)
            for pause in 1...2 {
                _ = try device.record(frameCount: 16_000)
                try player.ipc.setProperty("pause", true)
                try device.wait("a stop") { $0.count { $0.kind == "drop" } >= pause }
                try player.ipc.setProperty("pause", false)
            }
            #expect(try player.child.waitForExit().isSuccess)
            #expect(device.logEntryCount(ofKind: "pause") == 0)
            let recording = device.recording
            // Remove the silence of the pauses: then the beeps are one second apart.
            let gaps = recording.silentGaps(shortest: .milliseconds(5))
            let recordingWithoutPauses = AudioRecording(
                samples: gaps.reversed().reduce(recording.samples) { samples, gap in
                    let start = recording.index(at: gap.start), end = recording.index(at: gap.start + gap.duration)
                    return Array(samples[..<start] + samples[end...])
                })
            let beeps = recordingWithoutPauses.beepTimes
            try #require(beeps.count >= 2)
            #expect(abs(beeps[1] - beeps[0] - 1_000_000_000) < 20_000_000, "\(beeps)")
            #expect(recording.clickTimes().isEmpty)
        }
    }
}
