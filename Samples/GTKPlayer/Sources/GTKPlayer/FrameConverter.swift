import Dispatch
import SwiftPlay

/// Converts frames to the pixels that GTK can draw, on a queue of its own, so that the main thread stays responsive.
@MainActor
final class FrameConverter {
    private let session = PixelTransferSession()
    private let queue = DispatchQueue(label: "frame converter", qos: .userInteractive)
    /// The memory for frames of the last size. GTK holds the visible frame and may hold the previous one.
    private var pool: PixelBufferPool?
    /// The frame to convert after the current one; a newer frame replaces it.
    private var nextFrame: (picture: PixelBuffer, size: VideoSize)?
    private var isConverting = false
    /// Receives each converted frame, in the format `bgra`.
    var onPicture: (PixelBuffer) -> Void = { _ in }

    /// Converts a frame to `size` in device pixels. If frames arrive faster than they are converted, only the newest
    /// waiting frame is kept.
    func convert(_ picture: PixelBuffer, to size: VideoSize) {
        nextFrame = (picture, size)
        if !isConverting { convertNextFrame() }
    }

    /// Forgets the waiting frame. A frame that is being converted still arrives.
    func cancel() { nextFrame = nil }

    private func convertNextFrame() {
        guard let (picture, size) = nextFrame else { return }
        nextFrame = nil
        if pool?.width != size.width || pool?.height != size.height {
            pool = try? PixelBufferPool(width: size.width, height: size.height, pixelFormat: .bgra, mostBuffers: 4)
        }
        guard let pool else { return }
        isConverting = true
        queue.async { [session] in
            let result = Result {
                var target = try pool.makeBuffer()
                try session.transferImage(from: picture, to: &target)
                return target.finished(presentationTime: picture.presentationTime)
            }
            DispatchQueue.main.async { MainActor.assumeIsolated { self.finish(result) } }
        }
    }

    private func finish(_ result: Result<PixelBuffer, any Error>) {
        isConverting = false
        switch result {
        case .success(let picture): onPicture(picture)
        case .failure(let error): print("gtk-player: a frame is not shown: \(error)")
        }
        convertNextFrame()
    }
}
