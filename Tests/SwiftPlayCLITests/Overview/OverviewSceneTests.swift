import SharedFrames
import Testing

@testable import SwiftPlayCLI

@Suite struct OverviewSceneTests {
    private func scene(_ count: Int, keys: [String] = [], message: String = "") -> OverviewScene {
        let entries = (0..<count).map { OverviewEntry(program: "p\($0)", picture: .none) }
        var navigation = OverviewNavigation(size: PixelSize(width: 1008, height: 660), scale: 1)
        navigation.update(entries.map(\.program))
        for key in keys { _ = navigation.press(key) }
        return OverviewScene(navigation, tiles: entries.map { OverviewTile($0) }, message: message)
    }

    @Test func onlyVisibleTilesArePartOfAScene() {
        let scene = scene(100, keys: ["END"])
        #expect(scene.firstIndex + scene.tiles.count == 100 && scene.tiles.count <= 12)
        #expect(scene.tiles.first?.program == "p\(scene.firstIndex)" && scene.selected == "p99")
    }

    @Test func aSceneDiffersIfSomethingVisibleDiffers() {
        #expect(scene(3) == scene(3) && scene(3) != scene(4) && scene(3) != scene(3, keys: ["RIGHT"]))
        #expect(scene(3) != scene(3, message: "a"))
    }

    @Test func aWindowWithoutProgramsHasNoTiles() { #expect(scene(0).tiles.isEmpty && scene(0).firstIndex == 0) }
}
