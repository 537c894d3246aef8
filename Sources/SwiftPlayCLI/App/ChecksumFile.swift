import Glibc
import MediaPipeline
import SharedFrames
import SystemCalls

/// A text file of checksums of the decoded video or audio, for `--frame-checksums` and `--sound-checksums`.
///
/// Each decoded frame adds the line `pts,width,height,format,checksum`, written by the player's thread. Each decoded
/// block of audio adds the line `pts,rate,channels,format,samples,checksum`, written by the decoder's thread.
final class ChecksumFile: Sendable {
    /// The state that the writing threads share.
    private struct State {
        // The open file; nil after `close()`, which every exit path of the program calls.
        var file: UnsafeMutablePointer<FILE>?
        /// The message about the first failed write; nil if no write has failed.
        var failure: String?
    }

    /// The error for a checksum file that cannot be created.
    struct CreationError: Error, CustomStringConvertible { let description: String }

    /// The path of the checksum file.
    private let path: String
    // The lock prevents the use of the C stream after `close()`.
    private let state: Monitor<State>

    /// Creates the checksum file, or empties an existing file. Throws ``CreationError``.
    init(path: String) throws {
        self.path = path
        guard let file = fopen(path, "we") else {
            throw CreationError(
                description: "cannot write \(path): \(SystemCallError(call: "open", number: errno).reason)")
        }
        state = Monitor(State(file: file))
    }

    /// Writes a line of checksums for each decoded picture that the frame contains.
    func write(_ frame: VideoFrame) {
        for picture in frame.decodedPictures {
            let timestamp = picture.streamTime.map(String.init) ?? "none"
            writeLine("\(timestamp),\(picture.width),\(picture.height),\(picture.format),\(picture.checksum)\n")
        }
    }

    /// Writes a line with the checksum of a decoded block of audio.
    func write(_ audio: AudioChecksum) {
        let timestamp = audio.streamTime.map(String.init) ?? "none"
        let format = "\(audio.rate),\(audio.channels),\(audio.format)"
        writeLine("\(timestamp),\(format),\(audio.frameCount),\(audio.checksum)\n")
    }

    /// Writes one line to the checksum file, unless the file is closed.
    private func writeLine(_ line: String) {
        state.withLock { state in
            guard let file = state.file else { return }
            if fputs(line, file) < 0 { state.failure = "cannot write \(path)" }
        }
    }

    /// Closes the checksum file. Returns a message for the user if writing or closing failed; nil on success.
    func close() -> String? {
        state.withLock { state in
            if let file = state.file.take(), fclose(file) != 0 { state.failure = "cannot write \(path)" }
            return state.failure
        }
    }
}
