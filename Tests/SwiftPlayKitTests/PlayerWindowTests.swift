import SwiftPlay
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
}
