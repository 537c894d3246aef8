import Dispatch
import SwiftPlayKit

/// Numbered pictures that the program draws itself, 30 a second, 20 s of them.
@MainActor
final class DrawnScene: Scene, PictureInPictureSampleBufferPlaybackDelegate {
    private let layer: SampleBufferDisplayLayer
    private let pool: PixelBufferPool
    private let clock = Timebase()
    private var timer: (any DispatchSourceTimer)?
    /// The next picture to be drawn.
    private var next = 0
    private var isPaused = false
    private var skipsFail = false
    private var prohibitsBackgroundAudio = false
    private var range = MediaTimeRange(start: .zero, duration: MediaTime(value: 20, timescale: 1))
    private var own: PictureInPictureController.ContentSource?

    static let (width, height, rate) = (320, 180, 30)

    init(_ name: String, probe: Probe, geometry: String?) throws {
        layer = try SampleBufferDisplayLayer()
        pool = try PixelBufferPool(width: Self.width, height: Self.height)
        super.init(name, probe: probe)
        own = PictureInPictureController.ContentSource(sampleBufferDisplayLayer: layer, playbackDelegate: self)
        layer.controlTimebase = clock
        var options = PlayerWindow.Options()
        options.title = name
        options.geometry = geometry
        let window = PlayerWindow(layer: layer, options: options)
        try window.open(pictureWidth: Self.width, pictureHeight: Self.height)
        self.window = window
        introduce()
        clock.rate = 1
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: .milliseconds(50))
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.drawAhead() } }
        timer.resume()
        self.timer = timer
    }

    override var source: PictureInPictureController.ContentSource? { own }
    override var router: FrameRouter? { layer.router }
    override var facts: String { "rate=\(clock.rate) time=\(clock.time.seconds)" }

    private func drawAhead() {
        guard next >= 0 else { return }
        while layer.isReadyForMoreMediaData {
            do {
                var picture = try pool.makeBuffer()
                Self.draw(next, picture.bytesPerRow(ofPlane: 0), &picture)
                layer.enqueue(
                    picture.finished(presentationTime: MediaTime(value: Int64(next), timescale: Int32(Self.rate))))
                next += 1
            } catch { return }
        }
    }

    /// The number as the tests read it: 16 columns and 9 rows, the bits in row 4, their complement in row 5, over grey.
    private static func draw(_ number: Int, _ stride: Int, _ picture: inout WritablePixelBuffer) {
        picture.withUnsafeMutableBytes(ofPlane: 0) { bytes in
            for y in 0..<height {
                let row = y * 9 / height
                for column in 0..<16 {
                    let bit = number >> (15 - column) & 1
                    let value: UInt8 = row == 4 ? (bit == 1 ? 235 : 16) : row == 5 ? (bit == 1 ? 16 : 235) : 90
                    for x in column * width / 16..<(column + 1) * width / 16 {
                        for byte in 0..<4 { bytes[y * stride + x * 4 + byte] = value }
                    }
                }
            }
        }
    }

    private func seek(to time: MediaTime) {
        layer.flush()
        next = max(0, Int(time.seconds * Double(Self.rate)))
        clock.time = time
        drawAhead()
    }

    override func perform(_ verb: String, _ argument: String, _ more: [String], _ scenes: [String: Scene]) -> Bool {
        switch verb {
        case "play": pictureInPictureController(nil, setPlaying: true)
        case "pause": pictureInPictureController(nil, setPlaying: false)
        case "time": clock.time = MediaTime(seconds: Double(argument) ?? 0)
        case "prohibitsBackgroundAudio": prohibitsBackgroundAudio = true
        case "skipsFail": skipsFail = true
        case "range":
            range =
                switch argument {
                case "live": MediaTimeRange(start: .zero, duration: .positiveInfinity)
                case "nothing": .invalid
                default: MediaTimeRange(start: .zero, duration: MediaTime(seconds: Double(argument) ?? 0))
                }
            controller?.invalidatePlaybackState()
        case "clear":
            next = -1
            layer.flushAndRemoveImage()
        default: return super.perform(verb, argument, more, scenes)
        }
        return true
    }

    // MARK: what the window's controls ask

    func pictureInPictureController(_ controller: PictureInPictureController, setPlaying playing: Bool) {
        pictureInPictureController(Optional(controller), setPlaying: playing)
    }

    private func pictureInPictureController(_ controller: PictureInPictureController?, setPlaying playing: Bool) {
        say("setPlaying \(playing)")
        isPaused = !playing
        clock.rate = playing ? 1 : 0
        self.controller?.invalidatePlaybackState()
    }

    func pictureInPictureControllerTimeRangeForPlayback(_ controller: PictureInPictureController) -> MediaTimeRange {
        range
    }
    func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(
        _ controller: PictureInPictureController
    ) -> Bool { prohibitsBackgroundAudio }
    func pictureInPictureControllerIsPlaybackPaused(_ controller: PictureInPictureController) -> Bool { isPaused }

    func pictureInPictureController(
        _ controller: PictureInPictureController, didTransitionToRenderSize newRenderSize: VideoSize
    ) {
        say("renderSize \(newRenderSize.width)x\(newRenderSize.height)")
    }

    func pictureInPictureController(
        _ controller: PictureInPictureController, skipByInterval skipInterval: MediaTime,
        completion: @escaping @Sendable () -> Void
    ) {
        say("skip \(Int((skipInterval.seconds * 10).rounded()))")
        if !skipsFail { seek(to: MediaTime(seconds: max(0, clock.time.seconds + skipInterval.seconds))) }
        completion()
    }
}
