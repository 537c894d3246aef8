import CompositorProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the window of `swiftplay overview` with real programs and a real X server.
@Suite("Window of the overview")
struct OverviewWindowTests {
    /// The key codes of the keys Q and Delete.
    private static let keyQ: UInt8 = 24, keyDelete: UInt8 = 119
    private static let query = WindowQuery.instance("swiftplay-overview")

    /// A running overview and its window.
    private struct Overview {
        let child: ChildProcess
        let watcher: ScreenWatcher
        let window: Window

        init(_ fixture: SnapshotFixture, display: String? = nil) throws {
            child = try fixture.startOverview(["--vo=x11"], display: display)
            watcher = try ScreenWatcher(display: display)
            window = try watcher.waitForWindow(OverviewWindowTests.query)
        }

        /// The number of the frame in the picture of the only tile, which lies in the middle of the upper edge and is
        /// 400 pixels wide; nil if no number is readable.
        var frameNumber: Int? {
            let area = window.area
            return watcher.connection.frameNumber(
                in: Window.Area(x: area.x + (area.width - 400) / 2, y: area.y + 16, width: 400, height: 225))
        }

        /// Waits until the tile shows this frame; nil for no picture.
        func wait(for number: Int?) throws {
            let isShown = Deadline.poll(for: .seconds(20)) { frameNumber == number ? true : nil }
            guard isShown == true else {
                throw TestFailure("the tile shows \(String(describing: frameNumber)): \(child.errors.text)")
            }
        }

        /// Presses a key while the window has the keyboard focus: without a window manager, under the pointer.
        func press(_ key: UInt8) throws {
            try Pointer.move(to: window.area, x: 0.9, y: 0.9)
            watcher.connection.press(key)
        }
    }

    /// Starts a program with a picture of the frame 30 of a test clip.
    private func startProgram(_ fixture: SnapshotFixture) throws -> CommandedProcess {
        let program = try fixture.startProbe()
        try program.send(["identifier org.example.films", "show \(try Fixtures.path("count30.mp4")) 1"])
        try fixture.wait(for: "shown true", of: program)
        try program.send(["snapshot"])
        return program
    }

    @Test("the tile of a program shows its picture, and the key DEL closes the program")
    func aProgramIsClosedByTheKey() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), program = try startProgram(fixture)
            try fixture.wait(for: "org.example.films.png")
            let overview = try Overview(fixture), window = overview.window
            #expect(window.title == "SwiftPlay overview" && window.className == "swiftplay")
            #expect(
                overview.watcher.connection.propertyNumbers("_NET_WM_PID", of: window.id)
                    == [UInt32(overview.child.pid)])
            try overview.wait(for: 30)
            try overview.press(Self.keyDelete)
            _ = try program.child.waitForExit()
            try overview.wait(for: nil)
            #expect(fixture.names.isEmpty)
            try overview.press(Self.keyQ)
            #expect(try overview.child.waitForExit().isSuccess, "\(overview.child.errors.text)")
        }
    }

    @Test("the window follows a compositor that starts later and crashes")
    func theWindowFollowsTheCompositor() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), overview = try Overview(fixture)
            #expect(fixture.runtime.processes(named: "swiftplay-compositor").isEmpty)
            let program = try startProgram(fixture)
            try overview.wait(for: 30)
            try program.send(["private on"])
            try overview.wait(for: nil)
            let compositor = try #require(fixture.runtime.processes(named: "swiftplay-compositor").first)
            kill(compositor.pid, SIGKILL)
            // The program starts the next compositor when it needs one.
            try program.send(["private off", "activate", "snapshot"])
            try overview.wait(for: 30)
            #expect(overview.child.isRunning)
        }
    }

    @Test("a stopped X server does not keep the overview from ending")
    func aSignalEndsTheOverviewOnAStoppedServer() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), server = try PrivateXServer()
            let overview = try Overview(fixture, display: server.name)
            server.suspend()
            overview.child.signal(SIGTERM)
            #expect(try overview.child.waitForExit().reason == .exited(4), "\(overview.child.errors.text)")
        }
    }

    @Test("the end of the X server ends the overview with a message")
    func theEndOfTheServerIsReported() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), desktop = try PrivateDesktop(hasWindowManager: false)
            let overview = try Overview(fixture, display: desktop.display)
            kill(desktop.serverPID, SIGKILL)
            #expect(try overview.child.waitForExit().reason == .exited(1))
            #expect(overview.child.errors.text == "swiftplay: the connection to the X server was lost\n")
        }
    }

    @Test("without an X server the overview names it")
    func aMissingServerIsReported() throws {
        let fixture = try SnapshotFixture()
        let child = try fixture.startOverview(["--vo=x11"], display: ":4711")
        #expect(try child.waitForExit().reason == .exited(1))
        #expect(child.errors.text == "swiftplay: cannot connect to the X display :4711\n")
    }
}
