import AudioPolicy
import CompositorProtocol
import DesktopBus
import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// What a program may do in the background and behind the lock, and what it is told of stops, sleep and its own
/// category.
@Suite("Audio sessions: background, lock, stops and sleep")
struct ProgramRightsTests {
    @Test(
        "the user takes background audio away: the lock interrupts the film, and it goes on when the screen is unlocked"
    )
    func lockWithoutRight() async throws {
        try await Desk.alone {
            let stage = try SoundStage()
            let folder = stage.directory.path + "/config/swiftplay"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "background-audio=no\n".write(toFile: folder + "/compositor.conf", atomically: true, encoding: .utf8)
            let video = try stage.actor(.video)
            try stage.start(video)
            try stage.system("lock", "on")
            try video.hear("began(default)")
            #expect(try stage.system("sessions").contains("lock"))
            try video.tell("activate")
            try video.wait(for: "failed activate 561015905")
            try stage.system("lock", "off")
            try video.hear("ended(shouldResume)")
            try stage.wait(for: .video)
            // At once when the setting changes.
            try stage.system("lock", "on")
            try video.hear("began(default)", times: 2)
            try "background-audio=yes\n".write(toFile: folder + "/compositor.conf", atomically: true, encoding: .utf8)
            try video.hear("ended(shouldResume)", times: 2)
            try stage.wait(for: .video)
        }
    }

    @Test(
        "a program that declares that it does not play in the background is refused there, and interrupted by the lock")
    func declared() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try music.tell("background off", "place background", "activate")
            try music.wait(for: "failed activate 561015905")
            try music.tell("background on", "activate")
            try music.wait(for: "ok activate")
            try stage.system("lock", "on")
            try music.tell("background off")
            try music.hear("began(default)")
        }
    }

    @Test(
        "a program that does not want to be interrupted by the loss of its device plays on and hears of the route",
        .measuresTime)
    func staysOnLoss() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), video = try stage.actor(.video)
            try video.tell("stay on")
            try stage.start(video)
            try stage.directory.waitUntilRouteIsKnown()
            let start = MonotonicTime.now
            try stage.system("device-lost")
            try video.hear("route(oldDeviceUnavailable,SoundServer)")
            try stage.listen(.milliseconds(400))
            #expect(try stage.heard().range(of: .video, from: start, to: MonotonicTime.now - 50_000_000).low > -0.5)
            #expect(video.heard == ["route(oldDeviceUnavailable,SoundServer)"])
        }
    }

    /// Lets `program` interrupt `other` and stops its process. Returns when the compositor has suspended it.
    private func stop(_ program: RunningActor, thatInterrupted other: RunningActor, on stage: SoundStage) throws {
        try stage.start(other)
        try stage.start(program)
        program.child.signal(SIGSTOP)
        try other.hear("ended", within: .seconds(20))
    }

    @Test("a program is stopped for a while: who it interrupted is freed, and it resumes when it runs again")
    func stopped() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music), video = try stage.actor(.video)
            try stop(video, thatInterrupted: music, on: stage)
            video.child.signal(SIGCONT)
            try video.hear("began(appWasSuspended)")
            try video.hear("ended(shouldResume)")
            try stage.wait(for: .video)
            #expect(music.heard == ["began(default)", "ended"])
        }
    }

    @Test("a program is stopped, and another takes its place meanwhile: it is silent when it runs again", .measuresTime)
    func replacedWhileStopped() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music), video = try stage.actor(.video)
            try stop(video, thatInterrupted: music, on: stage)
            try stage.start(music)
            try stage.listen(.milliseconds(300))
            let thawed = MonotonicTime.now
            video.child.signal(SIGCONT)
            try video.hear("began(appWasSuspended)")
            try video.hear("ended")
            try stage.listen(.milliseconds(400))
            #expect(try stage.heard().range(of: .video, from: thawed, to: MonotonicTime.now).high < Loudness.silence)
            #expect(try video.state().value("rate") == "0.0")
        }
    }

    @Test("logind tells of the end of a sleep: sessions hear of it once, and what plays plays on")
    func sleep() async throws {
        try await Desk.alone {
            let bus = try SessionBus(), stage = try SoundStage()
            let video = try stage.actor(.video, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            try stage.start(video)
            try stage.directory.waitUntilRouteIsKnown()
            let logind = try BusConnection(address: bus.address)
            var isOurs = false
            try logind.requestName("org.freedesktop.login1") { isOurs = $0 }
            func serve(until isDone: () -> Bool) throws {
                let deadline = Deadline.after(.seconds(10))
                while !isDone() {
                    guard MonotonicTime.now < deadline else { throw RigError("the bus does not answer") }
                    var entries = [Poll.Entry(logind.descriptor, logind.events)]
                    try Poll.wait(&entries, until: min(deadline, logind.deadline ?? deadline))
                    try logind.process()
                }
            }
            try serve { isOurs }
            for begins in [true, false] {
                try logind.emit(
                    "PrepareForSleep", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1",
                    [.bool(begins)])
            }
            // A call that is answered: the signals are at the bus.
            var isAnswered = false
            try logind.call(.init(bus: "GetId")) { _ in isAnswered = true }
            try serve { isAnswered }
            try video.hear("route(wakeFromSleep,SoundServer)")
            try stage.listen(.milliseconds(300))
            #expect(video.heard == ["route(wakeFromSleep,SoundServer)"])
            #expect(try video.state().value("rate") == "1.0")
        }
    }

    @Test("an active session that changes its category hears of it, and one without output has no route")
    func category() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), music = try stage.actor(.music)
            try music.tell("activate")
            try music.wait(for: "ok activate")
            try stage.directory.waitUntilRouteIsKnown()
            try music.tell("category record")
            try music.hear("route(categoryChange,SoundServer)")
            #expect(try music.state().value("route") == "-")
            try music.tell("category playback")
            try music.hear("route(categoryChange,-)")
            #expect(try music.state().value("route") == "SoundServer")
            // The mode alone is no change of the category.
            try music.tell("category playback spokenAudio")
            try music.wait(for: "ok category", times: 4)
            #expect(music.heard == ["route(categoryChange,SoundServer)", "route(categoryChange,-)"])
        }
    }

    @Test("after a crash of the compositor the program that the user listened to is notified first")
    func headStart() async throws {
        try await Desk.alone {
            let stage = try SoundStage(), video = try stage.actor(.video), game = try stage.actor(.game)
            try stage.start(video)
            try game.tell("activate")
            try game.wait(for: "ok activate")
            kill(try #require(stage.compositor), SIGKILL)
            let first = try video.hear("reset"), second = try game.hear("reset")
            #expect(second - first >= 100_000_000, "\(second - first)")
            try stage.wait(for: .video)
        }
    }

    @Test("a report whose number is not greater than the last one's ends the connection")
    func repeatedSequence() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory(), compositor = try FakeCompositor(directory: directory)
            let actor = try RunningActor(.music, in: directory)
            try actor.tell("activate")
            try compositor.wait { if case .audio(_, .activate) = $0 { true } else { false } }
            try compositor.say(.audio(session: 1, sequence: 7, .done(nil)))
            try compositor.say(.audio(session: 1, sequence: 9, .activated(quietAt: 0, duckedAt: 0)))
            try actor.wait(for: "ok activate")
            try compositor.say(.audio(session: 1, sequence: 9, .notice(.began(.default))))
            try actor.hear("lost")
            #expect(actor.heard == ["lost"])
        }
    }

    @Test("reports to different programs have one order: who is interrupted is told before who interrupts is answered")
    func sequence() throws {
        let directory = try RuntimeDirectory()
        let child = try ChildProcess(Products.path("swiftplay-compositor"), [], runtimeDirectory: directory)
        guard
            Deadline.poll(
                for: .seconds(10), { access(directory.path + "/swiftplay/compositor", F_OK) == 0 ? true : nil }) == true
        else {
            throw RigError("the compositor does not listen: \(child.errors.text)")
        }
        let clients = try (0..<2).map { _ in try HostileClient(directory: directory) }
        for client in clients {
            // The client's side keeps nothing of it: the compositor maps it.
            let page = try MemoryFile(name: "sequence", size: 4096)
            client.hello()
            client.send(.audio(session: 1, .open(mayPlayInBackground: true)), descriptors: [page.descriptor.raw])
            client.send(.audio(session: 1, .configure(try AudioConfiguration(category: .playback))))
        }
        var last: UInt64 = 0
        for turn in 0..<20 {
            let winner = clients[turn % 2], loser = clients[(turn + 1) % 2]
            winner.send(.audio(session: 1, .activate(hasGesture: true)))
            let answered = try winner.sequence { if case .activated = $0 { true } else { false } }
            if turn > 0 {
                let began = try loser.sequence { $0 == .notice(.began(.default)) }
                #expect(last < began && began < answered)
            }
            last = answered
        }
    }
}
