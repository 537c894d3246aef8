import SwiftPlay
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayKit

@Suite("PlayerWindow")
struct PlayerWindowTests {
    /// A program with a player whose window has no video output.
    @MainActor private final class Program {
        let player: Player
        let window: PlayerWindow
        /// The number of times that the player has reported the first frame of an item.
        private(set) var firstFrameCount = 0
        private var observation: Player.Observation?

        init() throws {
            var configuration = Player.Configuration()
            configuration.audioOutput = .null
            player = try Player(configuration: configuration)
            let layer = PlayerLayer()
            layer.player = player
            var options = PlayerWindow.Options()
            options.kind = .null
            window = PlayerWindow(layer: layer, options: options)
            window.openAutomatically(for: player)
            // The player notifies this observer after the observer of the window.
            observation = player.observe { [weak self] in
                if case .firstFrameShown = $0 { self?.firstFrameCount += 1 }
            }
            try playNewItem()
        }

        /// Makes the player play a new item.
        func playNewItem() throws {
            player.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path("count30.mp4")))
        }
    }

    @Test("A window opens with the first picture, and does not open again after the program has closed it")
    func aClosedWindowDoesNotOpenAgainAutomatically() async throws {
        let program = try await Program()
        try await PlayerViewControllerTests.wait("the first picture") { program.firstFrameCount == 1 }
        #expect(await program.window.isOpen)
        try await MainActor.run {
            program.window.close()
            try program.playNewItem()
        }
        try await PlayerViewControllerTests.wait("the second picture") { program.firstFrameCount == 2 }
        #expect(await !program.window.isOpen)
        program.player.close()
    }

    @Test("A window opens while the first picture is still being decoded")
    func aWindowOpensBeforeTheFirstPicture() async throws {
        try await TestEnvironment.runExclusively {
            let isWindowOpen = Monitor(false), wasOpenAtFirstFrame = Monitor<Bool?>(nil)
            var configuration = Player.Configuration()
            configuration.audioOutput = .null
            // The first frame waits here, before it is shown, until the window is open.
            configuration.frameTap = { _ in
                guard wasOpenAtFirstFrame.withLock({ $0 == nil }) else { return }
                let isOpen = isWindowOpen.wait(until: Deadline.after(.seconds(20))) { $0 ? true : nil }
                wasOpenAtFirstFrame.update { $0 = isOpen == true }
            }
            let player = try Player(configuration: configuration)
            let window = await MainActor.run {
                let layer = PlayerLayer()
                layer.player = player
                let window = PlayerWindow(layer: layer)
                window.onOpen = { isWindowOpen.update { $0 = true } }
                window.openAutomatically(for: player)
                return window
            }
            player.replaceCurrentItem(with: PlayerItem(location: try Fixtures.path("count30.mp4")))
            try await PlayerViewControllerTests.wait("the first frame") { wasOpenAtFirstFrame.withLock { $0 != nil } }
            #expect(wasOpenAtFirstFrame.withLock { $0 } == true)
            await window.close()
            player.close()
        }
    }
}
