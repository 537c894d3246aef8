import SharedFrames

/// The placeholder in a window whose video is shown in another window: dark grey with the outline of a screen and a
/// small window in the corner of that screen.
package enum PlaceholderPicture {
    /// The background colour of the placeholder, as 0x00RRGGBB.
    static let backgroundColour: UInt32 = 0x0020_2022
    /// The colour of the outlines, as 0x00RRGGBB.
    static let outlineColour: UInt32 = 0x0070_7074

    /// Draws the placeholder into BGRX pixels with rows of `stride` bytes.
    package static func draw(pixels: UnsafeMutableRawPointer, size: PixelSize, stride: Int) {
        fill(pixels, PixelRect(x: 0, y: 0, width: size.width, height: size.height), backgroundColour, stride, size)
        let screenWidth = min(size.width / 3, size.height / 2), screenHeight = screenWidth * 3 / 4
        guard screenWidth >= 16 else { return }
        let x = (size.width - screenWidth) / 2, y = (size.height - screenHeight) / 2,
            thickness = max(2, screenWidth / 24)
        let screen = PixelRect(x: x, y: y, width: screenWidth, height: screenHeight)
        let screenInterior = PixelRect(
            x: x + thickness, y: y + thickness, width: screenWidth - 2 * thickness, height: screenHeight - 2 * thickness
        )
        let smallWindow = PixelRect(
            x: x + screenWidth / 2, y: y + screenHeight / 2, width: screenWidth / 2 - 2 * thickness,
            height: screenHeight / 2 - 2 * thickness)
        fill(pixels, screen, outlineColour, stride, size)
        fill(pixels, screenInterior, backgroundColour, stride, size)
        fill(pixels, smallWindow, outlineColour, stride, size)
    }

    /// Fills the part of a rectangle that lies in the picture with one colour.
    private static func fill(
        _ pixels: UnsafeMutableRawPointer, _ rect: PixelRect, _ colour: UInt32, _ stride: Int, _ size: PixelSize
    ) {
        for y in max(0, rect.y)..<min(size.height, rect.y + rect.height) {
            let row = (pixels + y * stride).assumingMemoryBound(to: UInt32.self)
            for x in max(0, rect.x)..<min(size.width, rect.x + rect.width) { row[x] = colour }
        }
    }
}
