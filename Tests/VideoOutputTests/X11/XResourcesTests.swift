import Testing

@testable import VideoOutput

@Suite struct XResourcesTests {
    @Test(arguments: [
        ("Xft.dpi:\t192\n", 2.0), ("*background: red\nXft.dpi: 144 \nXft.rgba: none\n", 1.5), ("Xft.dpi:120", 1.25),
        ("", 1), ("Xft.dpi", 1), ("Xft.dpi:\n", 1), ("Xft.dpi: many", 1), ("Xft.dpi: nan", 1), ("Xft.dpi: -96", 1),
        ("!Xft.dpi: 192", 1), ("Xft.dpi: 72", 1), ("Xft.dpi: 1e9", 8), ("xft.dpi: 192\n", 1),
    ])
    func displayScaleIsTheResolutionDividedBy96(_ text: String, _ expected: Double) {
        #expect(XResources(parsing: text).displayScale == expected)
    }
}
