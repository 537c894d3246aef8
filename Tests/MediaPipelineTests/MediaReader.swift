import SharedFrames
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Opens a media file and lets a test read its decoded frames, as a player does. Closes the file on deinitialisation.
final class MediaReader {
    /// The pipeline under test, which demuxes and decodes the file.
    let source: LocalMediaSource
    /// The memory of the decoded frames.
    let pool = FramePool()

    /// Starts to open a media file.
    ///
    /// - Parameter wantsAudio: Whether the source decodes audio; false turns the audio off.
    init(_ location: String, wantsAudio: Bool = false, configure: (inout MediaSourceConfiguration) -> Void = { _ in })
        throws
    {
        var configuration = MediaSourceConfiguration()
        if !wantsAudio { configuration.tracks.selections.audio = .off }
        configure(&configuration)
        source = try LocalMediaSource(
            location: location, configuration: configuration, pool: pool, arrival: try EventDescriptor(),
            audioArrival: try EventDescriptor())
        try source.start()
    }

    deinit { source.close() }

    /// Waits until the source has opened the file or has failed to open it, and returns the result.
    func outcome() throws -> Result<MediaInfo, MediaError> {
        while let event = source.events.pop(until: Deadline.after(.seconds(60))) {
            switch event {
            case .opened(let info): return .success(info)
            case .failed(let error): return .failure(error)
            default: continue
            }
        }
        throw TestFailure("the source neither opened nor failed")
    }

    /// Returns the next decoded frame; nil at the end of the file.
    func next() throws -> VideoFrame? {
        switch try #require(source.video.pop(until: Deadline.after(.seconds(60))), "no frame arrived") {
        case .frame(let frame): frame
        case .end: nil
        }
    }
}

/// Returns the frame number that a fixture's picture shows, read from the luma plane; nil if it is not readable.
func frameNumber(of frame: VideoFrame) -> Int? {
    frame.withPicture { picture in
        let layout = picture.layout
        func codeLine(_ row: Double) -> [UInt8] {
            let y = Int(Double(layout.height) * row / Double(FrameCode.rows))
            return (0..<FrameCode.columns).map {
                picture.plane(0).load(
                    fromByteOffset: y * layout.planes[0].stride + ($0 * 2 + 1) * layout.width / (2 * FrameCode.columns),
                    as: UInt8.self)
            }
        }
        return FrameCode.number(bits: codeLine(4.5), complement: codeLine(5.5))
    }
}
