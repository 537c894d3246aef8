import AudioPolicy
import CompositorProtocol
import DesktopBus
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests when a program may play in the background and while the screen is locked, and which notifications a program
/// receives about its suspension, sleep of the machine and changes of its audio session category.
@Suite("Audio sessions: background, lock, suspension and sleep")
struct ProgramRightsTests {
    @Test("without background audio the screen lock interrupts a video, and unlocking resumes it")
    func screenLockInterruptsVideoWithoutBackgroundAudio() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup()
            let folder = setup.directory.path + "/config/swiftplay"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "background-audio=no\n".write(toFile: folder + "/compositor.conf", atomically: true, encoding: .utf8)
            let video = try setup.startProbe(.video)
            try setup.startPlayback(of: video)
            try setup.runSystemCommand("lock", "on")
            try video.waitForNotification("began(default)")
            #expect(try setup.runSystemCommand("sessions").contains("lock"))
            try video.send("activate")
            // The code 561015905 is `AVAudioSession.ErrorCode.cannotStartPlaying`.
            try video.wait(for: "failed activate 561015905")
            try setup.runSystemCommand("lock", "off")
            try video.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.video)
            // A change of the setting background-audio takes effect while the screen is still locked.
            try setup.runSystemCommand("lock", "on")
            try video.waitForNotification("began(default)", times: 2)
            try "background-audio=yes\n".write(toFile: folder + "/compositor.conf", atomically: true, encoding: .utf8)
            try video.waitForNotification("ended(shouldResume)", times: 2)
            try setup.waitUntilAudible(.video)
        }
    }

    @Test(
        "a program that declares no background playback cannot activate there and is interrupted by the lock")
    func programWithoutBackgroundPlaybackCannotActivateInBackground() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music)
            try music.send("background off", "place background", "activate")
            // The code 561015905 is `AVAudioSession.ErrorCode.cannotStartPlaying`.
            try music.wait(for: "failed activate 561015905")
            try music.send("background on", "activate")
            try music.wait(for: "ok activate")
            try setup.runSystemCommand("lock", "on")
            try music.send("background off")
            try music.waitForNotification("began(default)")
        }
    }

    @Test(
        "a program that opts out of interruptions by device loss keeps playing and receives the route change",
        .measuresTime)
    func programThatOptsOutOfInterruptionsKeepsPlayingOnDeviceLoss() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), video = try setup.startProbe(.video)
            try video.send("stay on")
            try setup.startPlayback(of: video)
            try setup.directory.waitUntilAudioRouteIsKnown()
            let start = MonotonicTime.now
            try setup.runSystemCommand("device-lost")
            try video.waitForNotification("route(oldDeviceUnavailable,SoundServer)")
            try setup.record(for: .milliseconds(400))
            #expect(
                try setup.loudness().levelRange(of: .video, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
            #expect(video.notifications == ["route(oldDeviceUnavailable,SoundServer)"])
        }
    }

    /// Lets `program` interrupt `other`, then stops the process of `program`. Returns when the compositor
    /// has suspended `program` and ended the interruption of `other`.
    private func stopProgram(
        _ program: RunningAudioProbe, thatInterrupted other: RunningAudioProbe, on setup: AudioTestSetup
    ) throws {
        try setup.startPlayback(of: other)
        try setup.startPlayback(of: program)
        try program.child.stopWhileSleeping()
        try other.waitForNotification("ended", within: .seconds(20))
    }

    @Test("a stopped process is suspended, which ends the interruption it caused; it resumes when it runs again")
    func stoppedProgramResumesWhenItRunsAgain() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try stopProgram(video, thatInterrupted: music, on: setup)
            video.child.signal(SIGCONT)
            try video.waitForNotification("began(appWasSuspended)")
            try video.waitForNotification("ended(shouldResume)")
            try setup.waitUntilAudible(.video)
            #expect(music.notifications == ["began(default)", "ended"])
        }
    }

    @Test("a suspended program that another program replaced is silent when it continues", .measuresTime)
    func suspendedProgramThatWasReplacedIsSilentAfterSIGCONT() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music), video = try setup.startProbe(.video)
            try stopProgram(video, thatInterrupted: music, on: setup)
            try setup.startPlayback(of: music)
            try setup.record(for: .milliseconds(300))
            let continueTime = MonotonicTime.now
            video.child.signal(SIGCONT)
            try video.waitForNotification("began(appWasSuspended)")
            try video.waitForNotification("ended")
            try setup.record(for: .milliseconds(400))
            let level = try setup.loudness().highestLevel(of: .video, from: continueTime, to: MonotonicTime.now)
            #expect(level < Loudness.silenceLevel)
            #expect(try video.state().value("rate") == "0.0")
        }
    }

    @Test("after logind reports the end of sleep, sessions are notified once and playback continues")
    func endOfSleepNotifiesSessionsOnce() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), setup = try AudioTestSetup()
            let video = try setup.startProbe(.video, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            try setup.startPlayback(of: video)
            try setup.directory.waitUntilAudioRouteIsKnown()
            let logind = try BusConnection(address: bus.address)
            var ownsName = false
            try logind.requestName("org.freedesktop.login1") { ownsName = $0 }
            func processMessages(until isComplete: () -> Bool) throws {
                let deadline = Deadline.after(.seconds(10))
                while !isComplete() {
                    guard MonotonicTime.now < deadline else { throw TestFailure("the bus did not reply within 10 s") }
                    var entries = [Poll.Entry(logind.descriptor, logind.events)]
                    try Poll.wait(&entries, until: min(deadline, logind.deadline ?? deadline))
                    try logind.process()
                }
            }
            try processMessages { ownsName }
            for isStarting in [true, false] {
                try logind.emit(
                    "PrepareForSleep", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1",
                    [.bool(isStarting)])
            }
            // The bus handles messages in order: when it replies, it has received both PrepareForSleep signals.
            var hasReplied = false
            try logind.call(.init(bus: "GetId")) { _ in hasReplied = true }
            try processMessages { hasReplied }
            try video.waitForNotification("route(wakeFromSleep,SoundServer)")
            try setup.record(for: .milliseconds(300))
            #expect(video.notifications == ["route(wakeFromSleep,SoundServer)"])
            #expect(try video.state().value("rate") == "1.0")
        }
    }

    @Test("changing the category notifies the active session, and a category without output has no route")
    func categoryChangeUpdatesTheAudioRoute() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), music = try setup.startProbe(.music)
            try music.send("activate")
            try music.wait(for: "ok activate")
            try setup.directory.waitUntilAudioRouteIsKnown()
            try music.send("category record")
            try music.waitForNotification("route(categoryChange,SoundServer)")
            #expect(try music.state().value("route") == "-")
            try music.send("category playback")
            try music.waitForNotification("route(categoryChange,-)")
            #expect(try music.state().value("route") == "SoundServer")
            // A change of only the mode of the audio session is not a category change.
            try music.send("category playback spokenAudio")
            try music.wait(for: "ok category", times: 4)
            #expect(music.notifications == ["route(categoryChange,SoundServer)", "route(categoryChange,-)"])
        }
    }

    @Test("after a compositor crash the program that was playing is notified first")
    func playingProgramIsNotifiedFirstAfterACrash() async throws {
        try await TestEnvironment.runExclusively {
            let setup = try AudioTestSetup(), video = try setup.startProbe(.video), game = try setup.startProbe(.game)
            try setup.startPlayback(of: video)
            try game.send("activate")
            try game.wait(for: "ok activate")
            kill(try #require(setup.compositorPID), SIGKILL)
            let videoTime = try video.waitForNotification("reset"), gameTime = try game.waitForNotification("reset")
            #expect(gameTime - videoTime >= 100_000_000, "\(gameTime - videoTime)")
            try setup.waitUntilAudible(.video)
        }
    }

    @Test("a report whose sequence number does not increase closes the connection")
    func repeatedSequenceNumberClosesTheConnection() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
            let probe = try RunningAudioProbe(.music, in: directory)
            try probe.send("activate")
            try compositor.wait { if case .audio(_, .activate) = $0 { true } else { false } }
            try compositor.send(.audio(session: 1, sequence: 7, .done(nil)))
            try compositor.send(.audio(session: 1, sequence: 9, .activated(othersSilentAt: 0, othersDuckedAt: 0)))
            try probe.wait(for: "ok activate")
            try compositor.send(.audio(session: 1, sequence: 9, .notice(.began(.default))))
            try probe.waitForNotification("lost")
            #expect(probe.notifications == ["lost"])
        }
    }

    @Test("all programs share one sequence of numbers: an interruption is reported before the reply to its cause")
    func interruptionIsReportedBeforeTheReplyToItsCause() throws {
        let directory = try RuntimeDirectory()
        let child = try ChildProcess(Products.path("swiftplay-compositor"), [], runtimeDirectory: directory)
        guard let firstClient = Deadline.poll(for: .seconds(30), { try? HostileClient(directory: directory) }) else {
            throw TestFailure("the compositor opened no socket: \(child.errors.text)")
        }
        let clients = [firstClient, try HostileClient(directory: directory)]
        for client in clients {
            // The session requires shared memory for the compositor's volume commands. The compositor maps the memory,
            // so the client may close it at once.
            let page = try MemoryFile(name: "sequence", size: 4096)
            client.sendHello()
            client.send(.audio(session: 1, .open(mayPlayInBackground: true)), descriptors: [page.descriptor.raw])
            client.send(.audio(session: 1, .configure(try AudioConfiguration(category: .playback))))
        }
        var lastNumber: UInt64 = 0
        for turn in 0..<20 {
            let interruptingClient = clients[turn % 2], interruptedClient = clients[(turn + 1) % 2]
            interruptingClient.send(.audio(session: 1, .activate(hasGesture: true)))
            let activationNumber = try interruptingClient.sequenceNumberOfReport {
                if case .activated = $0 { true } else { false }
            }
            if turn > 0 {
                let interruptionNumber = try interruptedClient.sequenceNumberOfReport {
                    $0 == .notice(.began(.default))
                }
                #expect(lastNumber < interruptionNumber && interruptionNumber < activationNumber)
            }
            lastNumber = activationNumber
        }
    }
}
