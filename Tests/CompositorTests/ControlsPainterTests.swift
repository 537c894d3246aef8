import CompositorProtocol
import SharedFrames
import Testing

@testable import Compositor

@Suite struct ControlsPainterTests {
    @Test func progressBarIsColouredUpToThePosition() {
        let size = PixelSize(width: 480, height: 270), layout = ControlsLayout(size: size)
        var pixels = [UInt32](repeating: 0, count: size.width * size.height)
        let painter = ControlsPainter(
            layout: layout, playback: PlaybackState(isPaused: false, position: 5_000_000_000, duration: 10_000_000_000),
            audio: nil, hoveredButton: nil, showsButtons: true)
        pixels.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { painter.draw(base, size, size.width * 4) }
        }
        let line = layout.rect(of: .progress)
        let colours = (0..<line.width).map { pixels[(line.y + 1) * size.width + line.x + $0] & 0xff_ffff }
        // The played part of the bar is red 0.9 with green and blue 0.25; the rest is white at opacity 0.3. One pixel
        // at the boundary may be partly played.
        #expect(Set(colours[..<(line.width / 2 - 1)]) == [0xe6_4040])
        #expect(Set(colours[(line.width / 2 + 1)...]).isSubset(of: [0x4c_4c4c, 0x4d_4d4d]))
    }
}
