import CFFmpeg

/// An error of opening, reading or decoding. Contains only values, so that it can be sent to another process.
package struct MediaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the error.
    package enum Code: Int, Sendable {
        case notFound = 1
        case notPermitted
        case isDirectory
        case isEmpty
        /// The file is not media, or contains no video and audio.
        case notMedia
        /// FFmpeg has no decoder for the media.
        case unsupportedCodec
        /// The media uses a format, such as a pixel format, that this library does not support.
        case unsupportedFormat
        /// The media is damaged.
        case corrupt
        /// The server cannot be reached.
        case network
        /// The opening policy (``OpenPolicy``) forbids the file or address.
        case refusedByPolicy
        /// Reading was cancelled by closing or by a newer seek.
        case interrupted
        case outOfMemory
        /// Another error while reading a file or a network resource.
        case input
        /// The server's certificate was rejected.
        case untrustedServer
    }

    /// The kind of the error.
    package let code: Code
    /// The failure and, if possible, its remedy; without line breaks and without the file's name.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// Creates the error for a negative FFmpeg error code. `action` states what failed, such as `cannot seek`.
    init(ffmpeg code: Int32, doing action: String) {
        var bytes = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
        let reason = bytes.withUnsafeMutableBufferPointer { buffer -> String in
            guard let baseAddress = buffer.baseAddress, av_strerror(code, baseAddress, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: baseAddress)
        }
        let kind: Code =
            switch code {
            case cffmpeg_error(ENOENT): .notFound
            case cffmpeg_error(EACCES), cffmpeg_error(EPERM): .notPermitted
            case cffmpeg_error(ENOMEM): .outOfMemory
            case cffmpeg_error_invalid_data: .corrupt
            case cffmpeg_error_decoder_not_found: .unsupportedCodec
            case cffmpeg_error_exit: .interrupted
            case cffmpeg_error(ECONNREFUSED), cffmpeg_error(ETIMEDOUT), cffmpeg_error(EHOSTUNREACH),
                cffmpeg_error(ENETUNREACH):
                .network
            default: .input
            }
        self.init(kind, "\(action): \(reason)")
    }
}
