import Testing

@testable import SwiftPlayCLI

@Suite struct WindowOptionsTests {
    private func settings(_ arguments: String...) throws -> WindowSettings {
        try PlayOptions.parse(MPVArguments.normalised(arguments + ["a.mp4"])).settings().window
    }

    @Test func theDefaultsAreThoseOfMPV() throws { #expect(try settings() == WindowSettings()) }

    @Test func allOptionsReachTheSettings() throws {
        let settings = try settings(
            "--autofit=50%", "--autofit-larger=90%x80%", "--autofit-smaller=x500", "--auto-window-resize=no",
            "--window-scale=0.5", "--no-hidpi-window-scale", "--keepaspect-window=no", "--no-window-dragging",
            "--screen=1", "--fs-screen=2", "--ontop", "--border=no", "--window-minimized=yes", "--window-maximized",
            "--wid=0x1400003")
        #expect(
            settings
                == WindowSettings(
                    autofit: "50%", autofitLarger: "90%x80%", autofitSmaller: "x500", resizesForNextFile: false,
                    scale: 0.5, appliesDisplayScale: false, keepsAspectRatio: false, isDraggable: false,
                    monitorIndex: 1, fullScreenMonitor: .index(2), isOnTop: true, hasBorder: false, isMinimized: true,
                    isMaximized: true,
                    parent: 0x140_0003))
    }

    @Test(arguments: [
        "--autofit=", "--autofit=50%+1+1", "--autofit-larger=big", "--autofit-smaller=1x", "--window-scale=0",
        "--window-scale=-1", "--window-scale=nan", "--window-scale=101", "--screen=33", "--screen=-1", "--screen=left",
        "--fs-screen=33", "--fs-screen=-1", "--fs-screen=default",
        "--wid=0", "--wid=window", "--wid=-2", "--wid=4294967296",
    ])
    func invalidValuesAreRejected(_ argument: String) {
        #expect(throws: (any Error).self) { try settings(argument) }
    }

    @Test(arguments: [("20971523", 20_971_523 as UInt32?), ("0xA", 10), ("-1", nil)])
    func aWindowIsGivenByItsNumber(_ text: String, _ id: UInt32?) throws {
        #expect(try settings("--wid=\(text)").parent == id)
    }
}
