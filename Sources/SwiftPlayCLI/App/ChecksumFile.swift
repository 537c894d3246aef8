import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

/// A file of checksums, for `--frame-checksums` and `--sound-checksums`.
///
/// Each decoded frame adds the line `pts,width,height,format,md5`, written by the player's thread. Each decoded block
/// of audio adds the line `pts,rate,channels,format,samples,md5`, written by the decoder's thread.
final class ChecksumFile: Sendable {
    private struct State {
        // Owned. `close()` closes it; every exit path of the program calls `close()`.
        var file: UnsafeMutablePointer<FILE>?
        var failure: String?
    }

    struct CannotOpen: Error, CustomStringConvertible { let description: String }

    private let path: String
    // Sendable, because the stream is only used under the lock.
    private let state: Monitor<State>

    init(path: String) throws {
        self.path = path
        guard let file = fopen(path, "we") else {
            throw CannotOpen(
                description: "cannot write \(path): \(SystemCallError(call: "open", number: errno).reason)")
        }
        state = Monitor(State(file: file))
    }

    func write(_ frame: VideoFrame) {
        for picture in frame.decoded {
            let stamp = picture.streamTime.map(String.init) ?? "none"
            put("\(stamp),\(picture.width),\(picture.height),\(picture.format),\(picture.md5)\n")
        }
    }

    func write(_ sound: SoundChecksum) {
        let stamp = sound.streamTime.map(String.init) ?? "none"
        put("\(stamp),\(sound.rate),\(sound.channels),\(sound.format),\(sound.frameCount),\(sound.md5)\n")
    }

    private func put(_ line: String) {
        state.withLock { state in
            guard let file = state.file else { return }
            if fputs(line, file) < 0 { state.failure = "cannot write \(path)" }
        }
    }

    /// Closes the file and returns a message if writing or closing failed.
    func close() -> String? {
        state.withLock { state in
            if let file = state.file.take(), fclose(file) != 0 { state.failure = "cannot write \(path)" }
            return state.failure
        }
    }
}
