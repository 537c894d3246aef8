import CompositorProtocol
import SharedFrames
import Testing

@testable import Compositor

@Suite struct ControlsPainterTests {
    /// Returns the colours of the progress bar at half of the duration, from left to right.
    private func progressBar(loadedUntil: Int64) -> [UInt32] {
        let size = PixelSize(width: 480, height: 270), layout = ControlsLayout(size: size)
        var pixels = [UInt32](repeating: 0, count: size.width * size.height)
        let painter = ControlsPainter(
            layout: layout, playback: PlaybackState(isPaused: false, position: 5_000_000_000, duration: 10_000_000_000),
            audio: nil, hoveredButton: nil, showsButtons: true, loadedUntil: loadedUntil)
        pixels.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { painter.draw(base, size, size.width * 4) }
        }
        let barRect = layout.rect(of: .progress)
        return (0..<barRect.width).map { pixels[(barRect.y + 1) * size.width + barRect.x + $0] & 0xff_ffff }
    }

    @Test func progressBarIsColouredUpToThePosition() {
        let colours = progressBar(loadedUntil: 0), width = colours.count
        // The played part of the bar is red 0.9 with green and blue 0.25; the rest is white at opacity 0.3. One pixel
        // at the boundary may be partly played.
        #expect(Set(colours[..<(width / 2 - 1)]) == [0xe6_4040])
        #expect(Set(colours[(width / 2 + 1)...]).isSubset(of: [0x4c_4c4c, 0x4d_4d4d]))
        // A loaded part before the position is not visible.
        #expect(progressBar(loadedUntil: 3_000_000_000) == colours)
    }

    @Test func timeIsShownAboveTheDraggedPosition() {
        func pixels(_ draggedPosition: Double?) -> [UInt32] {
            let size = PixelSize(width: 480, height: 270), layout = ControlsLayout(size: size)
            var pixels = [UInt32](repeating: 0x80_8080, count: size.width * size.height)
            let painter = ControlsPainter(
                layout: layout, playback: PlaybackState(isPaused: false, position: 0, duration: 600_000_000_000),
                audio: nil, hoveredButton: nil, showsButtons: true, draggedPosition: draggedPosition)
            pixels.withUnsafeMutableBytes { bytes in
                if let base = bytes.baseAddress { painter.draw(base, size, size.width * 4) }
            }
            let y = layout.hitArea(of: .progress).y
            return Array(pixels[(y - 20) * size.width..<y * size.width])
        }
        let background = pixels(nil)
        for position in [0, 0.5, 1] {
            let changedColumns = Set(
                zip(pixels(position), background).enumerated().filter { $1.0 != $1.1 }.map { $0.offset % 480 })
            let middle = changedColumns.reduce(0, +) / max(1, changedColumns.count)
            #expect(changedColumns.count > 30 && abs(middle - Int(position * 480)) < 40, "\(position) \(middle)")
        }
    }

    @Test(arguments: [
        (0 as Int64, 10 as Int64, "0:00"), (123, 600, "2:03"), (123, 3600, "0:02:03"), (3723, 7200, "1:02:03"),
        (-5, 10, "0:00"),
    ])
    func timesHaveHoursIfTheDurationHasHours(_ seconds: Int64, _ duration: Int64, _ text: String) {
        let second: Int64 = 1_000_000_000
        #expect(ControlsPainter.clockText(seconds * second, duration: duration * second) == text)
    }

    @Test func loadedPartOfTheProgressBarIsLighter() {
        let colours = progressBar(loadedUntil: 7_500_000_000), width = colours.count
        #expect(Set(colours[..<(width / 2 - 1)]) == [0xe6_4040])
        let blueValues = Set(colours[(width / 2 + 1)..<(width * 3 / 4 - 1)].map { $0 & 0xff })
        #expect(blueValues.allSatisfy { (0x90...0x98).contains($0) }, "\(blueValues)")
        #expect(Set(colours[(width * 3 / 4 + 1)...]).isSubset(of: [0x4c_4c4c, 0x4d_4d4d]))
        // A loaded position beyond the duration fills the whole bar.
        #expect(progressBar(loadedUntil: .max).last.map { $0 & 0xff } ?? 0 > 0x80)
    }
}
