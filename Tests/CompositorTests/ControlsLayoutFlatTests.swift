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
                let r = layout.rect(of: button)
                #expect(r.y >= 0 && r.y + r.height <= size.height, "\(size) \(button) \(r)")
            }
        }
    }
}
