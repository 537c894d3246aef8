import TestSupport
import Testing

@testable import FetchPolicy

@Suite struct WakePointsTests {
    @Test func overlappingWindowsShareAPoint() {
        #expect(WakePoints.points(for: [window(0, 10), window(5, 20), window(8, 30)]) == [.seconds(10)])
    }

    @Test func separateWindowsHaveAPointEach() {
        #expect(WakePoints.points(for: [window(20, 30), window(0, 10)]) == [.seconds(10), .seconds(30)])
    }

    @Test func touchingWindowsShareAPoint() {
        #expect(WakePoints.points(for: [window(0, 10), window(10, 20)]) == [.seconds(10)])
    }

    @Test func withoutWindowsThereIsNoPoint() {
        #expect(WakePoints.points(for: []).isEmpty)
    }

    @Test func aWindowThatEndsBeforeItBeginsHasNoLength() {
        let empty = window(10, 5)
        #expect(empty.latest == .seconds(10) && empty.contains(.seconds(10)) && !empty.contains(.seconds(9)))
    }

    /// Twenty programs with windows of ten minutes; the fewest points are searched among all sets of window ends.
    @Test func pointsAreTheFewestOfABruteForceSearch() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<1000 {
            let windows = (0..<20).map { _ in
                let start = Int.random(in: 0...60, using: &generator)
                return window(start, start + 10)
            }
            let points = WakePoints.points(for: windows)
            #expect(windows.allSatisfy { window in points.contains { window.contains($0) } })
            #expect(points.count == fewestPoints(for: windows))
        }
    }

    /// Windows of different lengths, also empty ones.
    @Test func pointsOfUnequalWindowsAreTheFewest() {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<1000 {
            let windows = (0..<8).map { _ in
                let start = Int.random(in: 0...30, using: &generator)
                return window(start, start + Int.random(in: 0...20, using: &generator))
            }
            let points = WakePoints.points(for: windows)
            #expect(windows.allSatisfy { window in points.contains { window.contains($0) } })
            #expect(points.count == fewestPoints(for: windows))
        }
    }

    /// Returns the size of the smallest set of window ends that hits all windows, by trying all sets of growing size.
    private func fewestPoints(for windows: [FetchWindow]) -> Int {
        let ends = Set(windows.map(\.latest)).sorted()
        let masks = ends.map { end in
            windows.indices.reduce(into: 0) { mask, index in
                if windows[index].contains(end) { mask |= 1 << index }
            }
        }
        var reachable: Set<Int> = [0]
        let all = (1 << windows.count) - 1
        var size = 0
        while !reachable.contains(all) {
            // One of the points must hit the first window that is not hit yet.
            reachable = Set(
                reachable.flatMap { covered in
                    let missed = (~covered).trailingZeroBitCount
                    return masks.filter { $0 & (1 << missed) != 0 }.map { covered | $0 }
                })
            size += 1
        }
        return size
    }

    private func window(_ start: Int, _ end: Int) -> FetchWindow {
        FetchWindow(earliest: .seconds(start), latest: .seconds(end))
    }
}
