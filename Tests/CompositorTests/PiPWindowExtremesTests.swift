import CXCB
import CompositorProtocol
import Foundation
import SharedFrames
import SystemCalls
import Testing
import VideoOutput
import WireFormat

@testable import Compositor

/// Tests the floating window with extreme values of every field that a program may send, while the user clicks, drags,
/// scrolls and types. A trap would end the compositor for all programs.
@Suite struct PiPWindowExtremesTests {
    private let connection: XConnection
    /// The temporary directory for the saved window rectangles.
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "extremes-\(UUID().uuidString)"
    ).path

    init() throws { connection = try XConnection() }

    /// Returns a new floating window for pictures of the given size.
    private func window(_ picture: PixelSize) -> PiPWindow {
        PiPWindow(connection: connection, picture: picture, memory: PlacementMemory(directory: directory))
    }

    /// Returns the message after encoding and decoding; nil if the compositor refuses it.
    private func roundTripped(_ message: ClientMessage) -> ClientMessage? {
        try? ClientMessage(decoding: message.encoded)
    }

    /// Passes a pointer or key event to the window, as the X server sends the event.
    private func send(
        _ type: Int32, detail: UInt8 = 0, x: Int, y: Int, to window: PiPWindow
    ) -> [PiPWindow.Event] {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            var event = xcb_button_press_event_t()
            (event.response_type, event.detail, event.event) = (UInt8(type), detail, window.window.id)
            (event.event_x, event.event_y) = (Int16(clamping: x), Int16(clamping: y))
            (event.root_x, event.root_y) = (Int16(clamping: x + window.frame.x), Int16(clamping: y + window.frame.y))
            bytes.storeBytes(of: event, as: xcb_button_press_event_t.self)
            return bytes.withMemoryRebound(to: xcb_generic_event_t.self) {
                $0.baseAddress.map { window.handle($0) } ?? []
            }
        }
    }

    /// Sends every kind of pointer and key event at one position of the window.
    private func sendEveryPointerAndKeyEvent(_ window: PiPWindow, x: Int, y: Int) -> [PiPWindow.Event] {
        var events = send(XCB_ENTER_NOTIFY, x: x, y: y, to: window) + send(XCB_MOTION_NOTIFY, x: x, y: y, to: window)
        events += send(XCB_BUTTON_PRESS, detail: 1, x: x, y: y, to: window)
        for dragX in [-32_768, 0, window.drawnSize.width - 1, 32_767] {
            events += send(XCB_MOTION_NOTIFY, x: dragX, y: y, to: window)
        }
        events += send(XCB_BUTTON_RELEASE, detail: 1, x: x, y: y, to: window)
        for button in [4, 5] as [UInt8] { events += send(XCB_BUTTON_PRESS, detail: button, x: x, y: y, to: window) }
        for key in 8...255 as ClosedRange<UInt8> {
            events += send(XCB_KEY_PRESS, detail: key, x: x, y: y, to: window)
        }
        return events
    }

    @Test(
        "with extreme times and volumes all controls work, and a seek stays inside the item"
    )
    func controlsWorkWithExtremeTimesAndVolumes() throws {
        let window = window(PixelSize(width: 1920, height: 1080))
        window.map()
        var seekCount = 0
        for duration in [Int64.min, -1, 0, 1, PlaybackState.timeLimit, .max] {
            for position in [Int64.min, -1, 0, duration, .max] {
                let state = PlaybackState(isPaused: true, position: position, duration: duration)
                guard case .playback(_, let state)? = roundTripped(.playback(session: 1, state)) else { continue }
                for volume in [0, 1, 1300, UInt16.max] {
                    guard
                        case .audioState(_, let audio)? = roundTripped(
                            .audioState(session: 1, AudioState(volume: volume, isMuted: true)))
                    else { continue }
                    (window.playback, window.audio) = (state, audio)
                    for slider in ControlsLayout.Slider.allCases {
                        let rect = window.layout.rect(of: slider)
                        for event in sendEveryPointerAndKeyEvent(window, x: rect.x + rect.width / 2, y: rect.y) {
                            guard case .action(.seek(let time)) = event else { continue }
                            seekCount += 1
                            #expect((0...state.duration).contains(time), "\(state)")
                        }
                    }
                }
            }
        }
        #expect(seekCount > 0)
    }

    @Test(
        "with extreme sizes, aspect ratios and orientations the window is drawn with its controls and is never empty"
    )
    func windowIsDrawnWithExtremeFormats() throws {
        let gray = try #require(PixelFormat(name: "gray"))
        var drawnWindowCount = 0
        let sizes = [(1, 1), (FrameLayout.maximumDimension, 1), (1, FrameLayout.maximumDimension), (64, 36)]
        let aspects: [(Int32, Int32)] = [(1, 1), (0, 0), (.max, 1), (1, .max), (65_535, 1), (1, 65_535), (.min, .min)]
        for (width, height) in sizes {
            let layout = try #require(
                FrameLayout(
                    pixelFormat: gray, width: width, height: height, planes: [.init(offset: 0, stride: width)]))
            let pixels = [UInt8](repeating: 200, count: layout.requiredSize + FrameLayout.overreadPadding)
            for (numerator, denominator) in aspects {
                for orientation in UInt8(0)...7 {
                    var attributes = PictureAttributes()
                    (attributes.sampleAspectNumerator, attributes.sampleAspectDenominator) = (numerator, denominator)
                    attributes.orientation = try #require(PictureOrientation(rawValue: orientation))
                    attributes.peakLuminance = .max
                    let sentFormat = FrameFormat(layout: layout, attributes: attributes)
                    let message = ClientMessage.format(session: 1, number: 0, format: sentFormat)
                    guard case .format(_, _, let format)? = roundTripped(message) else { continue }
                    let window = window(format.displaySize)
                    window.playback = PlaybackState(isPaused: true, position: 1, duration: PlaybackState.timeLimit)
                    window.audio = AudioState(volume: .max, isMuted: false)
                    window.isPointerInside = true
                    window.map()
                    pixels.withUnsafeBytes { bytes in
                        guard let base = bytes.baseAddress else { return }
                        _ = window.show(PictureMemory(base: base, layout: format.layout), format: format)
                    }
                    for (x, y) in [
                        (0, 0), (window.drawnSize.width - 1, window.drawnSize.height - 1), (-32_768, 32_767),
                    ] {
                        _ = sendEveryPointerAndKeyEvent(window, x: x, y: y)
                    }
                    #expect(window.frame.width > 0 && window.frame.height > 0)
                    drawnWindowCount += 1
                }
            }
        }
        #expect(drawnWindowCount == sizes.count * aspects.count * 8)
    }

    @Test("the window animates to extreme X11 coordinates, or returns at once")
    func windowAnimatesToExtremeRectanglesOrReturnsAtOnce() throws {
        let maximumX = 32_767, maximumSide = 16_384
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(
                pixelFormat: gray, width: 64, height: 36, planes: [.init(offset: 0, stride: 64)]))
        let pixels = [UInt8](repeating: 200, count: layout.requiredSize + FrameLayout.overreadPadding)
        for validRect in [
            PixelRect(x: -maximumX, y: -maximumX, width: 1, height: 1),
            PixelRect(x: maximumX, y: maximumX, width: maximumSide, height: maximumSide),
            PixelRect(x: maximumX, y: -maximumX, width: 1, height: 1),
            PixelRect(x: -maximumX, y: maximumX, width: 640, height: 360),
        ] {
            guard case .stopAnimated(_, let rect)? = roundTripped(.stopAnimated(session: 1, place: validRect)) else {
                Issue.record("the valid rectangle \(validRect) was refused")
                continue
            }
            let window = PiPWindow(
                connection: connection, picture: PixelSize(width: 64, height: 36),
                opening: PiPWindow.OpenRequest(startRect: rect),
                memory: PlacementMemory(directory: directory))
            window.map()
            for now in [0, 1, MonotonicTime.now, .max / 2] as [Int64] {
                pixels.withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    let format = FrameFormat(layout: layout, attributes: PictureAttributes())
                    _ = window.show(PictureMemory(base: base, layout: layout), format: format, now: now)
                }
                _ = window.tick(now: now)
            }
            #expect([[.returnAnimationFinished], [.needsRedraw]].contains(window.beginReturnAnimation(to: rect)))
        }
    }
}
