import CompositorProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Tests the window of `swiftplay overview` with real programs and a real X server.
@Suite("Window of the overview")
struct OverviewWindowTests {
    /// The key codes of the keys Q, Delete and Enter.
    private static let keyQ: UInt8 = 24, keyDelete: UInt8 = 119, keyEnter: UInt8 = 36
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

        /// The width of the progress bar of the only transfer in the only tile, loaded or not: the number of pixels in
        /// a row that are lighter than the picture and the window. Nil if the screen cannot be read.
        var barWidth: Int? {
            let area = window.area
            let row = Window.Area(x: area.x + (area.width - 400) / 2, y: area.y + 232, width: 400, height: 1)
            return watcher.connection.pixels(in: row)?.count { $0 >> 16 > 0x40 }
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
            watcher.connection.letFocusFollowPointer()
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

    @Test("the tile of a program shows the progress bar of a transfer until it has ended")
    func theProgressOfATransferIsShown() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), overview = try Overview(fixture)
            let server = try ContentServer(blockCount: 64, pausesAt: 32 * 4096)
            let waitForBar = { (width: ClosedRange<Int>) in
                let isShown = Deadline.poll(for: .seconds(20)) {
                    overview.barWidth.flatMap { width.contains($0) ? true : nil }
                }
                #expect(isShown == true, "\(String(describing: overview.barWidth)): \(overview.child.errors.text)")
            }
            waitForBar(0...0)
            try fixture.startDownload(server.address())
            waitForBar(376...380)
            server.release()
            waitForBar(0...0)
        }
    }

    @Test("the key ENTER brings the window of a program forward")
    func aProgramIsBroughtForward() async throws {
        try await TestEnvironment.runExclusively {
            let fixture = try SnapshotFixture(), desktop = try PrivateDesktop(hasWindowManager: true)
            let player = try RunningPlayer(
                "count30.mp4", options: ["--loop-file", "--ao=null"], directory: fixture.runtime,
                environment: desktop.environment)
            let watcher = try ScreenWatcher(display: desktop.display)
            let playerWindow = try watcher.waitForWindow(.player)
            let overview = try Overview(fixture, display: desktop.display)
            let root = watcher.connection.root
            let waitUntilActive = { (window: Window) in
                let isActive = Deadline.poll(for: .seconds(20)) {
                    watcher.connection.propertyNumbers("_NET_ACTIVE_WINDOW", of: root) == [window.id] ? true : nil
                }
                #expect(isActive == true, "\(window.title) is not active: \(overview.child.errors.text)")
            }
            waitUntilActive(overview.window)
            // The program's tile appears after the compositor has reported it.
            let isBroughtForward = Deadline.poll(for: .seconds(20), every: .milliseconds(200)) { () -> Bool? in
                watcher.connection.press(Self.keyEnter)
                return watcher.connection.propertyNumbers("_NET_ACTIVE_WINDOW", of: root) == [playerWindow.id]
                    ? true : nil
            }
            #expect(isBroughtForward == true)
            try player.quit()
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
        let options = "check DISPLAY, or use --vo=terminal or --vo=null"
        #expect(child.errors.text == "swiftplay: cannot connect to the X display :4711; \(options)\n")
    }
}
