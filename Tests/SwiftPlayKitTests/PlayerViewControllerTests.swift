import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayKit

/// A program's own window, with the delegate that it likes, on a real screen.
@Suite("PlayerViewController")
struct PlayerViewControllerTests {
    /// What a delegate hears, and how it answers. Main queue only, as it is called there.
    @MainActor final class Ledger: PlayerViewControllerDelegate {
        private(set) var calls: [String] = []
        var dismisses = true

        func playerViewControllerWillStartPictureInPicture(_ controller: PlayerViewController) {
            calls.append("willStart")
        }
        func playerViewControllerDidStartPictureInPicture(_ controller: PlayerViewController) {
            calls.append("didStart")
        }
        private(set) var reasons: [String] = []
        func playerViewController(
            _ controller: PlayerViewController, failedToStartPictureInPictureWithError error: any Error
        ) {
            calls.append("failed")
            reasons.append("\(error)")
        }
        func playerViewControllerWillStopPictureInPicture(_ controller: PlayerViewController) {
            calls.append("willStop")
        }
        func playerViewControllerDidStopPictureInPicture(_ controller: PlayerViewController) { calls.append("didStop") }
        func playerViewControllerShouldAutomaticallyDismissAtPictureInPictureStart(_ controller: PlayerViewController)
            -> Bool
        { dismisses }
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

    /// A program with one window.
    @MainActor final class Program {
        let player: Player
        var controller: PlayerViewController?
        let ledger = Ledger()

        init(_ clip: String, rate: Float = 1) throws {
            setenv("SWIFTPLAY_COMPOSITOR", try Products.compositor, 1)
            var configuration = Player.Configuration()
            configuration.audioOutput = .null
            try AudioSession.sharedInstance().setCategory(.playback)
            player = try Player(configuration: configuration)
            let controller = PlayerViewController(player: player)
            controller.delegate = ledger
            self.controller = controller
            player.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path(clip)))
            player.rate = rate
        }

        func end() {
            controller?.end()
            player.close()
        }
    }

    static let player = WindowQuery.instance("swiftplay")

    static func wait(_ what: String, _ condition: @escaping @MainActor @Sendable () -> Bool) async throws {
        let end = Deadline.after(.seconds(15))
        while await !condition() {
            guard MonotonicTime.now < end else { throw RigError("\(what) did not come") }
            await Task.yield()
        }
    }

    @Test("the window goes when Picture-in-Picture starts, comes back to be restored, and its title is the item's")
    func dismissal() async throws {
        try await Desk.alone {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.player) { $0 >= 3 }
            #expect(watcher.window(Self.player)?.title == "count30.mp4")
            let bounds = await program.controller?.videoBounds
            #expect(bounds?.width == 640 && bounds?.height == 360)
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            await program.controller?.perform(.togglePictureInPicture)
            let frame = try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 5 }
            try watcher.waitForNoWindow(Self.player)
            await program.controller?.perform(.togglePictureInPicture)
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: Self.player) { $0 > frame }
            try await Self.wait("didStop") { program.ledger.calls.last == "didStop" }
            let calls = await program.ledger.calls
            #expect(calls == ["willStart", "didStart", "restore", "willStop", "didStop"])
            await program.end()
            try watcher.waitForNoWindow(Self.player)
        }
    }

    @Test(
        "a delegate that says no keeps the window; allowing no Picture-in-Picture ends the one that runs, and none begins"
    )
    func permission() async throws {
        try await Desk.alone {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            await MainActor.run { program.ledger.dismisses = false }
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            #expect(await program.controller?.offersPictureInPicture == true)
            // The session's category has to permit it.
            try AudioSession.sharedInstance().setCategory(.ambient)
            #expect(await program.controller?.offersPictureInPicture == false)
            let failures = await MainActor.run {
                program.controller?.startPictureInPicture()
                return program.ledger.calls
            }
            #expect(failures == [], "the delegate is called once the call has returned")
            try await Self.wait("the failure") { program.ledger.calls == ["failed"] }
            #expect(await program.ledger.reasons.last?.contains("category") == true)
            try AudioSession.sharedInstance().setCategory(.playback)
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            await program.controller?.perform(.togglePictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture)
            // One that is stopped before it has begun is not restored.
            try await Self.wait("didStart") { program.ledger.calls.last == "didStart" }
            #expect(watcher.windowExists(Self.player))
            await MainActor.run { program.controller?.allowsPictureInPicturePlayback = false }
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: Self.player)
            try await Self.wait("didStop") { program.ledger.calls.last == "didStop" }
            await program.controller?.perform(.togglePictureInPicture)
            #expect(await program.controller?.offersPictureInPicture == false)
            try await Self.wait("the failure") { program.ledger.calls.last == "failed" }
            #expect(await program.ledger.reasons.last?.contains("allowsPictureInPicturePlayback") == true)
            let calls = await program.ledger.calls
            #expect(calls == ["failed", "willStart", "didStart", "restore", "willStop", "didStop", "failed"])
            await program.end()
            try watcher.waitForNoWindow(Self.player)
        }
    }

    @Test("a picture of the program's own lies over the film, and goes")
    func contentOverlay() async throws {
        try await Desk.alone {
            let program = try await Program("count30.mp4", rate: 0), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.player)
            func covered() -> Int { watcher.points(in: Self.player) { $0 == 0x12A0F3 } ?? -1 }
            #expect(covered() == 0)
            await MainActor.run {
                program.controller?.contentOverlay = { width, height in
                    let pixels = [[UInt8]](repeating: [0xF3, 0xA0, 0x12, 255], count: 40 * 20).flatMap(\.self)
                    let image = PlayerViewController.OverlayImage(
                        x: width - 40, y: height - 20, width: 40, height: 20, premultipliedBGRA: pixels)
                    return image.map { [$0] } ?? []
                }
            }
            #expect(Deadline.poll(for: .seconds(10)) { covered() == 800 ? true : nil } == true)
            await MainActor.run { program.controller?.contentOverlay = nil }
            #expect(Deadline.poll(for: .seconds(10)) { covered() == 0 ? true : nil } == true)
            await program.end()
            try watcher.waitForNoWindow(Self.player)
        }
    }

    @Test(
        "an inline video that goes out of sight does not float by itself, unless the program allows it",
        arguments: [false, true])
    func automaticStart(isAllowed: Bool) async throws {
        try await Desk.alone {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            try watcher.waitForFrame(in: Self.player)
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

    @Test("it is kept alive while its Picture-in-Picture runs, and not longer")
    func life() async throws {
        try await Desk.alone {
            let program = try await Program("count30.mp4"), watcher = try ScreenWatcher()
            try await Self.wait("possible") {
                program.controller?.pictureInPictureController?.isPictureInPicturePossible == true
            }
            await program.controller?.perform(.togglePictureInPicture)
            try await Self.wait("didStart") { program.ledger.calls.last == "didStart" }
            let watch = await MainActor.run { [weak controller = program.controller] in
                program.controller = nil
                return { @MainActor @Sendable in controller }
            }
            #expect(await watch() != nil)
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 5 }
            await watch()?.stopPictureInPicture()
            try await Self.wait("the end") { watch() == nil }
            let calls = await program.ledger.calls
            #expect(calls == ["willStart", "didStart", "restore", "willStop", "didStop"])
            await program.end()
            try watcher.waitForNoWindow(.pictureInPicture)
        }
    }

    @Test("full screen comes with the user's play and goes with the end; the delegate hears of both")
    func fullScreen() async throws {
        try await Desk.alone {
            let program = try await Program("short.mp4", rate: 0), watcher = try ScreenWatcher()
            try watcher.waitForFrame(in: Self.player)
            await MainActor.run {
                program.controller?.entersFullScreenWhenPlaybackBegins = true
                program.controller?.exitsFullScreenWhenPlaybackEnds = true
            }
            await program.controller?.press("SPACE")
            #expect(
                Deadline.poll(for: .seconds(10)) { watcher.window(Self.player)?.area.width == 1920 ? true : nil }
                    == true)
            try await Self.wait("the end of full screen") { program.ledger.calls.last == "willEndFullScreen" }
            #expect(
                Deadline.poll(for: .seconds(10)) { watcher.window(Self.player)?.area.width != 1920 ? true : nil }
                    == true)
            let calls = await program.ledger.calls
            #expect(calls == ["willBeginFullScreen", "isFullScreen", "willEndFullScreen"])
            await program.end()
            try watcher.waitForNoWindow(Self.player)
        }
    }

    @Test("full screen by a window manager's own key: the delegate hears of it all the same")
    func fullScreenFromOutside() async throws {
        try await Desk.alone {
            let program = try await Program("short.mp4", rate: 0), watcher = try ScreenWatcher()
            let window = try watcher.waitForWindow(Self.player)
            watcher.connection.setAtoms("_NET_WM_STATE", of: window.id, to: ["_NET_WM_STATE_FULLSCREEN"])
            try await Self.wait("the beginning of full screen") {
                program.ledger.calls == ["willBeginFullScreen", "isFullScreen"]
            }
            watcher.connection.setAtoms("_NET_WM_STATE", of: window.id, to: [])
            try await Self.wait("the end of full screen") { program.ledger.calls.last == "willEndFullScreen" }
            await program.end()
            try watcher.waitForNoWindow(Self.player)
        }
    }
}
