import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct WindowGeometryTests {
    private let screen = PixelSize(width: 1920, height: 1080)
    private let picture = PixelSize(width: 640, height: 360)

    /// Returns the window rectangle that a `--geometry` option with the value `text` requests.
    private func windowRectangle(_ text: String, picture: PixelSize? = nil) throws -> PixelRect {
        try #require(WindowGeometry(parsing: text), "\(text)").frame(picture: picture ?? self.picture, screen: screen)
    }

    @Test func theDefaultIsThePictureSizeCentred() {
        #expect(
            WindowGeometry().frame(picture: picture, screen: screen)
                == PixelRect(x: 640, y: 360, width: 640, height: 360))
    }

    @Test(arguments: [
        ("1280x720", PixelRect(x: 320, y: 180, width: 1280, height: 720)),
        ("1280", PixelRect(x: 320, y: 180, width: 1280, height: 720)),
        ("x720", PixelRect(x: 320, y: 180, width: 1280, height: 720)),
        ("50%", PixelRect(x: 480, y: 270, width: 960, height: 540)),
        ("50%x50%", PixelRect(x: 480, y: 270, width: 960, height: 540)),
        ("+10+20", PixelRect(x: 10, y: 20, width: 640, height: 360)),
        ("-10-20", PixelRect(x: 1270, y: 700, width: 640, height: 360)),
        ("640x360+10-20", PixelRect(x: 10, y: 700, width: 640, height: 360)),
        ("+50%+50%", PixelRect(x: 640, y: 360, width: 640, height: 360)),
        ("+100%+0%", PixelRect(x: 1280, y: 0, width: 640, height: 360)),
        ("-0-0", PixelRect(x: 1280, y: 720, width: 640, height: 360)),
    ])
    func validGeometriesAreParsed(_ text: String, _ expected: PixelRect) throws {
        #expect(try windowRectangle(text) == expected)
    }

    @Test(arguments: [
        "", "x", "640x", "640y360", "+10", "640x360+10", "640x360+10+", "+10+20+30", "640x360 ", " 640", "-", "++",
        "640x360+a+b", "%",
        "99999999999999999999", "100001", "٣٢٠",
    ])
    func invalidGeometriesAreRejected(_ text: String) { #expect(WindowGeometry(parsing: text) == nil) }

    @Test func windowsLargerThanTheScreenAreShrunk() throws {
        #expect(try windowRectangle("3840") == PixelRect(x: 0, y: 0, width: 1920, height: 1080))
        #expect(
            try windowRectangle("+5+6", picture: PixelSize(width: 3840, height: 1080)).size
                == PixelSize(width: 1920, height: 540)
        )
        #expect(
            try windowRectangle("+5+6", picture: PixelSize(width: 1080, height: 3840)).size
                == PixelSize(width: 303, height: 1080)
        )
    }

    @Test func windowRectanglesAreNeverEmpty() throws {
        for text in ["0x0", "0", "x0", "0%", "1x1", "100000x1", "1x100000"] {
            for picture in [self.picture, PixelSize(width: 0, height: 0), PixelSize(width: 16_384, height: 1)] {
                let frame = try windowRectangle(text, picture: picture)
                #expect(
                    frame.width > 0 && frame.height > 0 && frame.width <= 1920 && frame.height <= 1080,
                    "\(text) \(frame)")
            }
        }
    }

    @Test func aDefaultWindowStaysWithinTheWorkArea() throws {
        let workArea = PixelRect(x: 1922, y: 30, width: 1276, height: 690)
        #expect(
            WindowGeometry().frame(picture: PixelSize(width: 1920, height: 1080), screen: screen, available: workArea)
                == PixelRect(x: 1947, y: 30, width: 1226, height: 690))
        #expect(
            WindowGeometry().frame(picture: picture, screen: screen, available: workArea)
                == PixelRect(x: 2240, y: 195, width: 640, height: 360))
        let geometry = try #require(WindowGeometry(parsing: "1600x900+10+20"))
        #expect(
            geometry.frame(picture: picture, screen: screen, available: workArea)
                == PixelRect(x: 10, y: 20, width: 1600, height: 900))
    }
}
