import SharedFrames
import Testing
import VideoOutput

@testable import SwiftPlayCLI

@Suite struct OverviewNavigationTests {
    /// Returns a window with tiles in three columns.
    private func navigation(_ count: Int) -> OverviewNavigation {
        var navigation = OverviewNavigation(size: PixelSize(width: 1008, height: 660), scale: 1)
        navigation.update((0..<count).map { "p\($0)" })
        return navigation
    }

    /// Returns the selected program after keys.
    private func selected(after keys: String, of count: Int) -> String? {
        var navigation = navigation(count)
        for key in keys.split(separator: " ") { #expect(navigation.press(String(key)) == nil) }
        return navigation.selected
    }

    /// Returns the centre of a tile, or of its close button.
    private func point(_ index: Int, _ navigation: OverviewNavigation, closes: Bool = false) -> (x: Int, y: Int) {
        let tile = navigation.layout.rect(of: index, scroll: navigation.scroll)
        let rect = closes ? navigation.layout.closeButton(in: tile) : tile
        return (rect.x + rect.width / 2, rect.y + rect.height / 2)
    }

    // MARK: Keys

    @Test(arguments: [
        ("", "p0"), ("RIGHT", "p1"), ("LEFT", "p0"), ("RIGHT RIGHT RIGHT", "p3"), ("DOWN", "p3"), ("DOWN UP", "p0"),
        ("UP", "p0"), ("END", "p7"), ("END HOME", "p0"), ("END RIGHT", "p7"), ("END DOWN", "p7"),
        // The last row has two tiles.
        ("RIGHT RIGHT DOWN DOWN", "p7"), ("PGDWN", "p6"), ("PGDWN PGUP", "p0"), ("x", "p0"),
    ])
    func keysSelectATile(_ keys: String, _ program: String) {
        #expect(selected(after: keys, of: 8) == program)
    }

    @Test func keysInASingleColumnSelectTheNeighbour() {
        var navigation = OverviewNavigation(size: PixelSize(width: 200, height: 150), scale: 1)
        navigation.update(["a", "b", "c"])
        for (key, program) in [("DOWN", "b"), ("RIGHT", "c"), ("DOWN", "c"), ("UP", "b"), ("PGUP", "a"), ("UP", "a")] {
            _ = navigation.press(key)
            #expect(navigation.selected == program, "\(key)")
        }
    }

    @Test func keysActOnTheSelectedProgram() {
        var navigation = navigation(4)
        _ = navigation.press("RIGHT")
        #expect(navigation.press("DEL") == .close("p1") && navigation.press("KP_DEL") == .close("p1"))
        #expect(navigation.press("ENTER") == .activate("p1") && navigation.press("KP_ENTER") == .activate("p1"))
        #expect(["q", "Q", "ESC"].map { navigation.press($0) } == [.quit, .quit, .quit])
    }

    @Test func keysWithoutProgramsHaveNoEffect() {
        var navigation = navigation(0)
        for key in ["LEFT", "RIGHT", "UP", "DOWN", "PGUP", "PGDWN", "HOME", "END", "ENTER", "DEL"] {
            #expect(navigation.press(key) == nil && navigation.selected == nil && navigation.scroll == 0)
        }
        #expect(navigation.press("q") == .quit)
    }

    @Test func theSelectedTileIsScrolledIntoView() {
        var navigation = navigation(100)
        for key in ["END", "UP", "PGUP", "HOME", "PGDWN", "DOWN"] {
            _ = navigation.press(key)
            let index = navigation.programs.firstIndex(of: navigation.selected ?? "") ?? 0
            let tile = navigation.layout.rect(of: index, scroll: navigation.scroll)
            #expect(tile.y >= 0 && tile.y + tile.height <= 660, "\(key)")
        }
    }

    // MARK: Programs

    @Test func theSelectionStaysAtItsProgram() {
        var navigation = navigation(4)
        _ = navigation.press("RIGHT")
        navigation.update(["new", "p0", "p1", "p2"])
        #expect(navigation.selected == "p1" && navigation.press("RIGHT") == nil && navigation.selected == "p2")
    }

    @Test func aKeyThatIsHeldDoesNotCloseTheNextProgram() {
        var navigation = navigation(4)
        _ = navigation.press("RIGHT")
        #expect(navigation.press("DEL") == .close("p1"))
        navigation.update(["p0", "p2", "p3"])
        #expect(navigation.selected == nil && navigation.press("DEL") == nil)
        // The next arrow key selects the tile in the place of the closed one.
        #expect(navigation.press("LEFT") == nil && navigation.selected == "p2")
    }

    @Test func theFirstProgramIsSelectedOnlyInAnEmptyWindow() {
        var navigation = navigation(0)
        navigation.update(["a", "b"])
        #expect(navigation.selected == "a")
        navigation.update(["b"])
        #expect(navigation.selected == nil)
        navigation.update(["b", "c"])
        #expect(navigation.selected == nil)
    }

    @Test func fewerProgramsLimitTheScrolling() {
        var navigation = navigation(100)
        _ = navigation.press("END")
        #expect(navigation.scroll == navigation.layout.scrollLimit && navigation.scroll > 0)
        navigation.update(["p0"])
        #expect(navigation.scroll == 0)
    }

    @Test func aSmallerWindowKeepsTheSelectedTileInView() {
        var navigation = navigation(9)
        _ = navigation.press("END")
        navigation.resize(to: PixelSize(width: 400, height: 400), scale: 1)
        let tile = navigation.layout.rect(of: 8, scroll: navigation.scroll)
        #expect(tile.y >= 0 && tile.y + tile.height <= 400)
    }

    // MARK: Pointer

    @Test func aClickOnATileSelectsItAndBringsItsProgramForward() {
        var navigation = navigation(4)
        let (x, y) = point(2, navigation)
        #expect(navigation.handle(.pressed("MBTN_LEFT", x: x, y: y)) == nil && navigation.selected == "p2")
        #expect(navigation.handle(.released("MBTN_LEFT", x: x, y: y)) == .activate("p2"))
    }

    @Test func aClickOnTheButtonClosesTheProgram() {
        var navigation = navigation(4)
        let (x, y) = point(2, navigation, closes: true)
        #expect(navigation.handle(.moved(x: x, y: y)) == nil && navigation.hovered == .closeButton("p2"))
        #expect(navigation.handle(.pressed("MBTN_LEFT", x: x, y: y)) == nil)
        #expect(navigation.handle(.released("MBTN_LEFT", x: x, y: y)) == .close("p2"))
        #expect(navigation.handle(.released("MBTN_LEFT", x: x, y: y)) == nil)
    }

    @Test func aPressThatEndsElsewhereHasNoEffect() {
        var navigation = navigation(4)
        let button = point(2, navigation, closes: true), tile = point(2, navigation)
        _ = navigation.handle(.pressed("MBTN_LEFT", x: button.x, y: button.y))
        #expect(navigation.handle(.released("MBTN_LEFT", x: tile.x, y: tile.y)) == nil)
        _ = navigation.handle(.pressed("MBTN_LEFT", x: tile.x, y: tile.y))
        #expect(navigation.handle(.released("MBTN_LEFT", x: 0, y: 0)) == nil)
    }

    @Test func aTileThatMovesUnderThePointerIsNotClosed() {
        var navigation = navigation(4)
        let (x, y) = point(2, navigation, closes: true)
        _ = navigation.handle(.pressed("MBTN_LEFT", x: x, y: y))
        navigation.update(["new", "p0", "p1", "p2", "p3"])
        #expect(navigation.handle(.released("MBTN_LEFT", x: x, y: y)) == nil)
    }

    @Test func otherButtonsHaveNoEffect() {
        var navigation = navigation(4)
        let (x, y) = point(2, navigation, closes: true)
        for button in ["MBTN_RIGHT", "MBTN_MID"] {
            #expect(navigation.handle(.pressed(button, x: x, y: y)) == nil)
            #expect(navigation.handle(.released(button, x: x, y: y)) == nil && navigation.selected == "p0")
        }
    }

    @Test func theWheelScrollsWithinLimits() {
        var navigation = navigation(100)
        _ = navigation.handle(.pressed("WHEEL_UP", x: 0, y: 0))
        #expect(navigation.scroll == 0)
        for _ in 0..<200 { _ = navigation.handle(.pressed("WHEEL_DOWN", x: 0, y: 0)) }
        #expect(navigation.scroll == navigation.layout.scrollLimit && navigation.selected == "p0")
    }

    @Test func scrollingChangesTheTileUnderThePointer() {
        var navigation = navigation(100)
        let (x, y) = point(0, navigation)
        _ = navigation.handle(.moved(x: x, y: y))
        #expect(navigation.hovered == .tile("p0"))
        for _ in 0..<2 { _ = navigation.handle(.pressed("WHEEL_DOWN", x: x, y: y)) }
        #expect(navigation.hovered == .tile("p3"))
        _ = navigation.handle(.left)
        #expect(navigation.hovered == nil)
    }

    // MARK: All states

    @Test func everySequenceOfInputsLeavesAValidState() {
        let inputs: [(inout OverviewNavigation) -> Void] = [
            { _ = $0.press("RIGHT") }, { _ = $0.press("UP") }, { _ = $0.press("PGDWN") }, { $0.update([]) },
            { $0.update(["a"]) }, { $0.update((0..<40).map { "\($0)" }) },
            { $0.resize(to: PixelSize(width: 200, height: 150), scale: 1) },
            { $0.resize(to: PixelSize(width: 1, height: 1), scale: 8) },
            { _ = $0.handle(.pressed("WHEEL_DOWN", x: 30, y: 30)) },
            { _ = $0.handle(.pressed("MBTN_LEFT", x: 30, y: 30)) }, { _ = $0.handle(.left) },
        ]
        for number in 0..<(inputs.count * inputs.count * inputs.count * inputs.count) {
            var navigation = navigation(8), rest = number
            for _ in 0..<4 {
                inputs[rest % inputs.count](&navigation)
                rest /= inputs.count
            }
            let layout = navigation.layout
            let isValid =
                (0...layout.scrollLimit).contains(navigation.scroll)
                && navigation.selected.map { navigation.programs.contains($0) } != false
                && navigation.hovered.map { navigation.programs.contains($0.program) } != false
            if !isValid { Issue.record("inputs \(number): \(navigation)") }
        }
    }
}
