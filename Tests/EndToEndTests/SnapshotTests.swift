import CompositorProtocol
import DesktopBus
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the pictures of real programs in the overview.
@Suite("Pictures of programs")
struct SnapshotTests {
    @Test("completed work renews the picture; a private program loses it; a program is closed")
    func thePictureFollowsTheProgram() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), program = try fixture.startProbe()
            try program.send(["identifier org.example.films", "show \(try Fixtures.path("count30.mp4")) 1"])
            try fixture.wait(for: "shown true", of: program)
            try program.send(["snapshot"])
            try fixture.wait(for: "org.example.films.png")
            #expect(try fixture.frameNumber(in: "org.example.films.png") == 30)
            let shown = try fixture.overview()
            #expect(shown.output.contains("org.example.films (\(program.child.pid))"), "\(shown)")
            #expect(shown.output.contains("\n  count30.mp4\n") && shown.output.contains("s ago"))
            // A locked screen hides all pictures, and shows them again when it is unlocked.
            #expect(try fixture.swiftplay(["system", "lock", "on"]).waitForExit(within: .seconds(20)).isSuccess)
            #expect(try fixture.overview().output.contains("picture: hidden while the screen is locked"))
            #expect(try fixture.swiftplay(["system", "lock", "off"]).waitForExit(within: .seconds(20)).isSuccess)
            #expect(try fixture.overview().output.contains("s ago"))
            try program.send(["private on"])
            #expect(Deadline.poll(for: .seconds(20)) { fixture.names.isEmpty ? true : nil } == true)
            #expect(try fixture.overview().output.contains("picture: hidden by the program"))
            let closed = try fixture.overview("close", "org.example.films")
            #expect(closed.status.isSuccess && closed.output == "\(program.child.pid) has exited\n", "\(closed)")
            #expect(!program.child.isRunning)
            #expect(try fixture.overview().output == "no programs\n")
        }
    }

    @Test("a screen that the desktop has locked hides the pictures")
    func aLockedScreenHidesThePictures() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), session = "/org/freedesktop/login1/session/1"
            let logind = try MockService(
                "logind", name: "org.freedesktop.login1", path: "/org/freedesktop/login1", on: bus)
            try logind.mock(
                "AddSession", [.string("1"), .string("seat0"), .uint32(1000), .string("user"), .bool(true)])
            func setLocked(_ isLocked: Bool) throws {
                let hint = BusValue.dictionary(["LockedHint": .bool(isLocked)])
                try logind.mock("UpdateProperties", [.string("org.freedesktop.login1.Session"), hint], of: session)
            }
            let fixture = try SnapshotFixture(systemBus: bus.address), program = try fixture.startProbe()
            try program.send(["activate", "window active", "show \(try Fixtures.path("count30.mp4")) 1"])
            try fixture.wait(for: "shown true", of: program)
            try program.send(["window hidden"])
            try fixture.wait(for: "AudioSessionProbe.png")
            for (isLocked, text) in [(true, "picture: hidden while the screen is locked"), (false, "s ago")] {
                try setLocked(isLocked)
                let isShown = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) {
                    try fixture.overview().output.contains(text) ? true : nil
                }
                #expect(isShown == true, "\(text)")
            }
        }
    }

    @Test("the picture shows where the user has left the program")
    func aPictureIsTakenInTheBackground() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), program = try fixture.startProbe()
            // The activation of the session connects the program to the compositor.
            try program.send(["activate", "window active", "show \(try Fixtures.path("count30.mp4")) 2"])
            try fixture.wait(for: "shown true", of: program)
            #expect(fixture.names.isEmpty)
            try program.send(["window hidden"])
            try fixture.wait(for: "AudioSessionProbe.png")
            #expect(try fixture.frameNumber(in: "AudioSessionProbe.png") == 60)
            // The picture outlives its program.
            program.child.signal(SIGKILL)
            _ = try program.child.waitForExit()
            let text = try fixture.overview().output
            #expect(text.hasPrefix("AudioSessionProbe: not running\n"), "\(text)")
            let closed = try fixture.overview("close", "AudioSessionProbe")
            #expect(closed.status.isSuccess && fixture.names.isEmpty, "\(closed)")
            let unknown = try fixture.overview("close", "AudioSessionProbe")
            #expect(
                unknown.status.reason == .exited(1) && unknown.errors.contains("no program has the name"), "\(unknown)")
        }
    }

    @Test("a program that ignores SIGTERM is killed")
    func aStoppedProgramIsKilled() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), program = try fixture.startProbe()
            try program.send(["activate", "window hidden"])
            let isListed = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) {
                try fixture.overview().output.hasPrefix("AudioSessionProbe (") ? true : nil
            }
            #expect(isListed == true)
            // A stopped process does not handle SIGTERM.
            program.child.signal(SIGSTOP)
            let closed = try fixture.overview("close", "\(program.child.pid)")
            #expect(closed.output == "\(program.child.pid) was killed\n", "\(closed)")
        }
    }
}
