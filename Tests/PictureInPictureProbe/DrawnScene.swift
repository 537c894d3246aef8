import Dispatch
import SwiftPlayKit

/// A scene (a window with a Picture-in-Picture controller) that shows numbered frames that the probe draws itself: 30
/// frames a second for 20 seconds.
@MainActor
final class DrawnScene: Scene, PictureInPictureSampleBufferPlaybackDelegate {
    private let layer: SampleBufferDisplayLayer
    private let pool: PixelBufferPool
    private let clock = Timebase()
    private var timer: (any DispatchSourceTimer)?
    /// The number of the next frame to draw; negative after the command `clear`, when no frame is drawn.
    private var nextFrameNumber = 0
    private var isPaused = false
    /// Whether the delegate completes a skip without changing the playback position, as after a failed skip.
    private var skipsFail = false
    private var prohibitsBackgroundAudio = false
    /// The playback time range that the scene reports to the Picture-in-Picture controller.
    private var timeRange = MediaTimeRange(start: .zero, duration: MediaTime(value: 20, timescale: 1))
    /// The Picture-in-Picture content source for this scene's layer.
    private var layerContentSource: PictureInPictureController.ContentSource?

    /// The size of the frames in pixels, and the frame rate in frames a second.
    static let (width, height, frameRate) = (320, 180, 30)

    init(_ name: String, probe: Probe, geometry: String?) throws {
        layer = try SampleBufferDisplayLayer()
        pool = try PixelBufferPool(width: Self.width, height: Self.height)
        super.init(name, probe: probe)
        layerContentSource = PictureInPictureController.ContentSource(
            sampleBufferDisplayLayer: layer, playbackDelegate: self)
        layer.controlTimebase = clock
        var options = PlayerWindow.Options()
        options.title = name
        options.geometry = geometry
        let window = PlayerWindow(layer: layer, options: options)
        try window.open(pictureWidth: Self.width, pictureHeight: Self.height)
        self.window = window
        makeController()
        clock.rate = 1
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: .milliseconds(50))
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.drawUntilQueueIsFull() } }
        timer.resume()
        self.timer = timer
    }

    override var contentSource: PictureInPictureController.ContentSource? { layerContentSource }
    override var router: FrameRouter? { layer.router }
    override var stateDetails: String { "rate=\(clock.rate) time=\(clock.time.seconds)" }

    /// Draws frames until the layer accepts no more.
    private func drawUntilQueueIsFull() {
        guard nextFrameNumber >= 0 else { return }
        while layer.isReadyForMoreMediaData {
            do {
                var picture = try pool.makeBuffer()
                Self.draw(nextFrameNumber, picture.bytesPerRow(ofPlane: 0), &picture)
                let time = MediaTime(value: Int64(nextFrameNumber), timescale: Int32(Self.frameRate))
                layer.enqueue(picture.finished(presentationTime: time))
                nextFrameNumber += 1
            } catch { return }
        }
    }

    /// Draws a grey frame that encodes the frame number as in the test clips: a grid of 16 columns and 9 rows, with the
    /// bits in row 4, counted from 0, and their complement in row 5.
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

    /// Discards the queued frames, sets the clock to `time` and draws the frames from there.
    private func seek(to time: MediaTime) {
        layer.flush()
        nextFrameNumber = max(0, Int(time.seconds * Double(Self.frameRate)))
        clock.time = time
        drawUntilQueueIsFull()
    }

    override func perform(
        _ verb: String, _ argument: String, _ furtherArguments: [String], _ scenes: [String: Scene]
    ) -> Bool {
        switch verb {
        case "play": pictureInPictureController(nil, setPlaying: true)
        case "pause": pictureInPictureController(nil, setPlaying: false)
        case "time": clock.time = MediaTime(seconds: Double(argument) ?? 0)
        case "prohibitsBackgroundAudio": prohibitsBackgroundAudio = true
        case "skipsFail": skipsFail = true
        case "range":
            timeRange =
                switch argument {
                case "live": MediaTimeRange(start: .zero, duration: .positiveInfinity)
                case "nothing": .invalid
                default: MediaTimeRange(start: .zero, duration: MediaTime(seconds: Double(argument) ?? 0))
                }
            controller?.invalidatePlaybackState()
        case "clear":
            nextFrameNumber = -1
            layer.flushAndRemoveImage()
        default: return super.perform(verb, argument, furtherArguments, scenes)
        }
        return true
    }

    // MARK: Delegate calls from the controls of the Picture-in-Picture window

    func pictureInPictureController(_ controller: PictureInPictureController, setPlaying isPlaying: Bool) {
        pictureInPictureController(Optional(controller), setPlaying: isPlaying)
    }

    private func pictureInPictureController(_ controller: PictureInPictureController?, setPlaying isPlaying: Bool) {
        writeLine("setPlaying \(isPlaying)")
        isPaused = !isPlaying
        clock.rate = isPlaying ? 1 : 0
        self.controller?.invalidatePlaybackState()
    }

    func pictureInPictureControllerTimeRangeForPlayback(_ controller: PictureInPictureController) -> MediaTimeRange {
        timeRange
    }
    func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(
        _ controller: PictureInPictureController
    ) -> Bool { prohibitsBackgroundAudio }
    func pictureInPictureControllerIsPlaybackPaused(_ controller: PictureInPictureController) -> Bool { isPaused }

    func pictureInPictureController(
        _ controller: PictureInPictureController, didTransitionToRenderSize newRenderSize: VideoSize
    ) {
        writeLine("renderSize \(newRenderSize.width)x\(newRenderSize.height)")
    }

    func pictureInPictureController(
        _ controller: PictureInPictureController, skipByInterval skipInterval: MediaTime,
        completion: @escaping @Sendable () -> Void
    ) {
        writeLine("skip \(Int((skipInterval.seconds * 10).rounded()))")
        if !skipsFail { seek(to: MediaTime(seconds: max(0, clock.time.seconds + skipInterval.seconds))) }
        completion()
    }
}
