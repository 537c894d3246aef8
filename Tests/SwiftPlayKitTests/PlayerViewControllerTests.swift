import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayKit

/// Tests of a player view controller's window and delegate calls on a real X server.
@Suite("PlayerViewController")
struct PlayerViewControllerTests {
    /// A delegate that records its calls. The controller calls the delegate on the main queue.
    @MainActor final class RecordingDelegate: PlayerViewControllerDelegate {
        private(set) var calls: [String] = []
        /// Whether the delegate lets the window be hidden when Picture-in-Picture starts.
        var allowsHidingTheWindow = true

        func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController) {
            calls.append("willStart")
        }
        func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController) {
            calls.append("didStart")
        }
        /// The error messages of the Picture-in-Picture starts that failed.
        private(set) var startErrors: [String] = []
        func playerViewController(
            _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
        ) {
            calls.append("failed")
            startErrors.append("\(error)")
        }
        func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController) {
            calls.append("willStop")
        }
        func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController) { calls.append("didStop") }
        func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
            -> Bool
        { allowsHidingTheWindow }
        func playerViewController(
            _ controller: PlayerViewController,
            restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
                @escaping @Sendable (Bool) -> Void
        ) {
            calls.append("restore")
            completionHandler(true)
        }
        func playerViewController(
            _ controller: PlayerViewController,
            willBeginFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
        ) {
            calls.append("willBeginFullScreen")
            coordinator.animate { [weak self] isCancelled in
                self?.calls.append(isCancelled ? "cancelled" : "isFullScreen")
            }
        }
        func playerViewController(
            _ controller: PlayerViewController,
            willEndFullScreenPresentationWithAnimationCoordinator coordinator: FullScreenTransition
        ) { calls.append("willEndFullScreen") }
    }

    /// A program with one player window.
    @MainActor final class Program {
        let player: Player
        var controller: PlayerViewController?
        let delegate = RecordingDelegate()

        init(_ clip: String, rate: Float = 1) throws {
            setenv("SWIFTPLAY_COMPOSITOR", try Products.compositorPath, 1)
            var configuration = Player.Configuration()
            configuration.audioOutput = .null
            try AudioSession.sharedInstance().setCategory(.playback)
            player = try Player(configuration: configuration)
            let controller = PlayerViewController(player: player)
            controller.delegate = delegate
            self.controller = controller
            player.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path(clip)))
            player.rate = rate
        }

        /// Closes the controller and the player.
        func end() {
            controller?.end()
            player.close()
        }
    }

    /// The query that finds the player's window.
    static let playerWindow = WindowQuery.instance("swiftplay")

    /// Waits until `condition` is true; `event` names the awaited event for the error message.
    static func wait(_ event: String, _ condition: @escaping @MainActor @Sendable () -> Bool) async throws {
        let deadline = Deadline.after(.seconds(15))
        while await !condition() {
            guard MonotonicTime.now < deadline else { throw TestFailure("\(event) did not happen") }
            await Task.yield()
        }
    }

    @Test("The window is hidden during Picture-in-Picture and restored after it; its title is that of the item")
    func windowIsHiddenDuringPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.playerWindow) { $0 >= 3 }
            #expect(watcher.window(Self.playerWindow)?.title == "count30.mp4")
            let bounds = await program.controller?.videoBounds
            #expect(bounds?.width == 640 && bounds?.height == 360)
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            await program.controller?.perform(.togglePictureInPicture)
            let frame = try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 5 }
            try watcher.waitForNoWindow(Self.playerWindow)
            await program.controller?.perform(.togglePictureInPicture)
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: Self.playerWindow) { $0 > frame }
            try await Self.wait("didStop") { program.delegate.calls.last == "didStop" }
            let calls = await program.delegate.calls
            #expect(calls == ["willStart", "didStart", "restore", "willStop", "didStop"])
            await program.end()
            try watcher.waitForNoWindow(Self.playerWindow)
        }
    }

    @Test(
        "The window stays if the delegate declines to hide it; Picture-in-Picture stops if the program disallows it"
    )
    func theWindowStaysIfTheDelegateDeclinesHidingAndPictureInPictureStopsIfDisallowed() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            await MainActor.run { program.delegate.allowsHidingTheWindow = false }
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            #expect(await program.controller?.offersPictureInPicture == true)
            // The category of the audio session must permit Picture-in-Picture.
            try AudioSession.sharedInstance().setCategory(.ambient)
            #expect(await program.controller?.offersPictureInPicture == false)
            let callsAtReturn = await MainActor.run {
                program.controller?.startPictureInPicture()
                return program.delegate.calls
            }
            #expect(callsAtReturn == [], "the delegate is called after the method has returned")
            try await Self.wait("the failure") { program.delegate.calls == ["failed"] }
            #expect(await program.delegate.startErrors.last?.contains("category") == true)
            try AudioSession.sharedInstance().setCategory(.playback)
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            await program.controller?.perform(.togglePictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture)
            // Wait for `didStart`, because a stop before `didStart` requests no restore.
            try await Self.wait("didStart") { program.delegate.calls.last == "didStart" }
            #expect(watcher.windowExists(Self.playerWindow))
            await MainActor.run { program.controller?.allowsPictureInPicturePlayback = false }
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: Self.playerWindow)
            try await Self.wait("didStop") { program.delegate.calls.last == "didStop" }
            await program.controller?.perform(.togglePictureInPicture)
            #expect(await program.controller?.offersPictureInPicture == false)
            try await Self.wait("the failure") { program.delegate.calls.last == "failed" }
            #expect(await program.delegate.startErrors.last?.contains("allowsPictureInPicturePlayback") == true)
            let calls = await program.delegate.calls
            #expect(calls == ["failed", "willStart", "didStart", "restore", "willStop", "didStop", "failed"])
            await program.end()
            try watcher.waitForNoWindow(Self.playerWindow)
        }
    }

    @Test("The content overlay is drawn over the video until the program removes it")
    func contentOverlayIsDrawnOverTheVideo() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("count30.mp4", rate: 0), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.playerWindow)
            func overlayPixelCount() -> Int { watcher.pixelCount(in: Self.playerWindow) { $0 == 0x12A0F3 } ?? -1 }
            #expect(overlayPixelCount() == 0)
            await MainActor.run {
                program.controller?.contentOverlay = { width, height in
                    let pixels = [[UInt8]](repeating: [0xF3, 0xA0, 0x12, 255], count: 40 * 20).flatMap(\.self)
                    let image = PlayerViewController.OverlayImage(
                        x: width - 40, y: height - 20, width: 40, height: 20, premultipliedBGRA: pixels)
                    return image.map { [$0] } ?? []
                }
            }
            #expect(Deadline.poll(for: .seconds(10)) { overlayPixelCount() == 800 ? true : nil } == true)
            await MainActor.run { program.controller?.contentOverlay = nil }
            #expect(Deadline.poll(for: .seconds(10)) { overlayPixelCount() == 0 ? true : nil } == true)
            await program.end()
            try watcher.waitForNoWindow(Self.playerWindow)
        }
    }

    @Test(
        "A hidden inline video starts Picture-in-Picture only if the program allows it",
        arguments: [false, true])
    func hiddenVideoStartsPictureInPictureOnlyIfAllowed(isAllowed: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            try watcher.waitForFrame(in: Self.playerWindow)
            await MainActor.run {
                program.player.audiovisualBackgroundPlaybackPolicy = .pauses
                program.controller?.canStartPictureInPictureAutomaticallyFromInline = isAllowed
                program.controller?.window.hide()
            }
            if isAllowed {
                try watcher.waitForFrame(in: .pictureInPicture)
                #expect(program.player.rate == 1)
                await program.controller?.stopPictureInPicture()
                try watcher.waitForNoWindow(.pictureInPicture)
            } else {
                try await Self.wait("the pause in the background") { program.player.rate == 0 }
                #expect(!watcher.windowExists(.pictureInPicture))
            }
            await program.end()
        }
    }

    @Test("Picture-in-Picture keeps the controller alive until it stops")
    func pictureInPictureKeepsTheControllerAlive() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            await program.controller?.perform(.togglePictureInPicture)
            try await Self.wait("didStart") { program.delegate.calls.last == "didStart" }
            let remainingController = await MainActor.run { [weak controller = program.controller] in
                program.controller = nil
                return { @MainActor @Sendable in controller }
            }
            #expect(await remainingController() != nil)
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 5 }
            await remainingController()?.stopPictureInPicture()
            try await Self.wait("the end") { remainingController() == nil }
            let calls = await program.delegate.calls
            #expect(calls == ["willStart", "didStart", "restore", "willStop", "didStop"])
            await program.end()
            try watcher.waitForNoWindow(.pictureInPicture)
        }
    }

    @Test("Full screen begins when the user starts playback and ends with playback; the delegate is notified")
    func fullScreenBeginsAndEndsWithPlayback() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("short.mp4", rate: 0), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.playerWindow)
            await MainActor.run {
                program.controller?.entersFullScreenWhenPlaybackBegins = true
                program.controller?.exitsFullScreenWhenPlaybackEnds = true
            }
            await program.controller?.handleKey("SPACE")
            #expect(
                Deadline.poll(for: .seconds(10)) { watcher.window(Self.playerWindow)?.area.width == 1920 ? true : nil }
                    == true)
            try await Self.wait("the end of full screen") { program.delegate.calls.last == "willEndFullScreen" }
            #expect(
                Deadline.poll(for: .seconds(10)) { watcher.window(Self.playerWindow)?.area.width != 1920 ? true : nil }
                    == true)
            let calls = await program.delegate.calls
            #expect(calls == ["willBeginFullScreen", "isFullScreen", "willEndFullScreen"])
            await program.end()
            try watcher.waitForNoWindow(Self.playerWindow)
        }
    }

    @Test("The delegate is notified when the window manager changes full screen")
    func delegateIsNotifiedOfFullScreenChangesByTheWindowManager() async throws {
        try await TestEnvironment.runExclusively {
            let program = try await Program("short.mp4", rate: 0), watcher = try ScreenWatcher()
            let window = try watcher.waitForWindow(Self.playerWindow)
            watcher.connection.setAtoms("_NET_WM_STATE", of: window.id, to: ["_NET_WM_STATE_FULLSCREEN"])
            try await Self.wait("the beginning of full screen") {
                program.delegate.calls == ["willBeginFullScreen", "isFullScreen"]
            }
            watcher.connection.setAtoms("_NET_WM_STATE", of: window.id, to: [])
            try await Self.wait("the end of full screen") { program.delegate.calls.last == "willEndFullScreen" }
            await program.end()
            try watcher.waitForNoWindow(Self.playerWindow)
        }
    }
}
