import Foundation
import SharedFrames
import SystemCalls
import Testing

@testable import Compositor

@Suite struct PlacementMemoryTests {
    /// The monitors of a screen with one monitor.
    private let oneMonitor = [PixelRect(x: 0, y: 0, width: 1920, height: 1080)]
    /// The monitors of a screen with two monitors.
    private var twoMonitors: [PixelRect] { [PixelRect(x: 1920, y: 0, width: 1280, height: 720)] + oneMonitor }

    /// Runs `body` with the path of a directory that does not exist yet, and deletes the directory afterwards.
    private func withDirectory(_ body: (String) throws -> Void) rethrows {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "swiftplay-places-\(UUID().uuidString)"
        ).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory + "/deep/swiftplay")
    }

    @Test func eachMonitorSetHasItsOwnRectangle() {
        withDirectory { directory in
            let memory = PlacementMemory(directory: directory)
            #expect(memory.savedFrame(for: oneMonitor) == nil)
            memory.save(PixelRect(x: 24, y: 30, width: 480, height: 270), for: oneMonitor)
            memory.save(PixelRect(x: 2000, y: -5, width: 320, height: 180), for: twoMonitors)
            memory.save(PixelRect(x: 25, y: 31, width: 500, height: 280), for: oneMonitor)
            // Another instance reads the saved rectangles from the file; the order of the monitors does not matter.
            let otherInstance = PlacementMemory(directory: directory)
            #expect(otherInstance.savedFrame(for: oneMonitor) == PixelRect(x: 25, y: 31, width: 500, height: 280))
            #expect(
                otherInstance.savedFrame(for: twoMonitors.reversed())
                    == PixelRect(x: 2000, y: -5, width: 320, height: 180))
        }
    }

    @Test("concurrent threads save all their rectangles and leave no temporary file")
    func concurrentThreadsSaveAllTheirRectangles() throws {
        try withDirectory { directory in
            let frame = PixelRect(x: 24, y: 30, width: 480, height: 270)
            let monitors: @Sendable (Int) -> [PixelRect] = { [PixelRect(x: 0, y: 0, width: 1000 + $0, height: 800)] }
            let threads = try (0..<4).map { thread in
                try NamedThread("remember") {
                    let memory = PlacementMemory(directory: directory)
                    for round in 0..<200 { memory.save(frame, for: monitors(thread * 8 + round % 8)) }
                }
            }
            for thread in threads { thread.join() }
            let memory = PlacementMemory(directory: directory)
            for number in 0..<32 { #expect(memory.savedFrame(for: monitors(number)) == frame, "\(number)") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["pip-window"])
        }
    }

    @Test func damagedLinesAreIgnored() throws {
        try withDirectory { directory in
            let memory = PlacementMemory(directory: directory)
            memory.save(PixelRect(x: 24, y: 30, width: 480, height: 270), for: oneMonitor)
            for text in [
                "", "\u{0}\u{1}", "1920x1080+0+0 1 2", "1920x1080+0+0 1 2 99999999 5", "1920x1080+0+0 x y z w",
                "1920x1080+0+0 1 2 0 5", String(repeating: "a", count: 100_000),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/pip-window"))
                #expect(memory.savedFrame(for: oneMonitor) == nil, "\(text.prefix(40))")
            }
            memory.save(PixelRect(x: 1, y: 2, width: 480, height: 270), for: oneMonitor)
            #expect(memory.savedFrame(for: oneMonitor) == PixelRect(x: 1, y: 2, width: 480, height: 270))
        }
    }

    @Test("monitors at the same position are one set in any order")
    func orderOfMirroredMonitorsDoesNotMatter() {
        let monitors = [(1920, 1080), (1280, 720), (1280, 1024)].map {
            PixelRect(x: 0, y: 0, width: $0.0, height: $0.1)
        }
        let keys = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map { order in
            PlacementMemory.monitorSetKey(order.map { monitors[$0] })
        }
        #expect(Set(keys).count == 1)
    }

    @Test("the rectangles of the 32 sets of monitors that were saved last are kept")
    func oldestRectanglesAreDropped() {
        withDirectory { directory in
            let memory = PlacementMemory(directory: directory)
            let frames = (0...32).map { PixelRect(x: $0, y: 0, width: 160, height: 90) }
            let monitors = (0...32).map { [PixelRect(x: 0, y: 0, width: 1000 + $0, height: 800)] }
            for number in 0..<32 { memory.save(frames[number], for: monitors[number]) }
            memory.save(frames[0], for: monitors[0])
            memory.save(frames[32], for: monitors[32])
            #expect(memory.savedFrame(for: monitors[1]) == nil)
            for number in [0] + Array(2...32) { #expect(memory.savedFrame(for: monitors[number]) == frames[number]) }
        }
    }
}
