import SharedFrames
import Testing

@testable import Compositor

@Suite struct ControlsLayoutFlatTests {
    @Test func buttonsStayInsideFlatWindows() {
        for size in [
            PixelSize(width: 160, height: 32), PixelSize(width: 480, height: 40), PixelSize(width: 480, height: 24),
        ] {
            let layout = ControlsLayout(size: size)
            for button in ControlsLayout.Button.allCases {
                let rect = layout.rect(of: button)
                #expect(rect.y >= 0 && rect.y + rect.height <= size.height, "\(size) \(button) \(rect)")
            }
        }
    }
}
