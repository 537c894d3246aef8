import CFFmpeg
import Glibc
import HTTPTransfer

/// A resource on a server as FFmpeg's input. SwiftPlay requests the bytes itself, so that libavformat never opens an
/// address.
///
/// Used by one thread at a time; released after the context that reads through it.
final class HTTPInput {
    private let file: HTTPFile
    /// Returns the interruption that ends a wait for the server when the item is closed or a newer seek is pending.
    private let interruption: () -> TransferInterruption
    /// The error that ended reading; nil if there is none.
    private(set) var failure: HTTPError?
    /// FFmpeg's I/O context, which reads through this object.
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    /// The size of FFmpeg's read buffer in bytes.
    private static let bufferSize: Int32 = 64 * 1024

    /// Sends the first request and waits for the response.
    ///
    /// - Parameter interruption: Returns the interruption that ends a wait for the server.
    init(_ file: HTTPFile, interruption: @escaping () -> TransferInterruption) throws(MediaError) {
        (self.file, self.interruption) = (file, interruption)
        let isOpen: Bool
        do throws(HTTPError) {
            isOpen = try file.open(interruption())
        } catch { throw MediaError(error, doing: "cannot be fetched") }
        guard isOpen else { throw MediaError(.interrupted, "was cancelled") }
        try makeContext()
    }

    deinit {
        guard let context else { return }
        av_free(context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    /// Whether the input is a whole resource, not a part of one.
    var isWhole: Bool { file.isWhole }

    /// Sets the maximum number of received bytes that are kept, and releases the excess.
    func setCacheLimit(_ limit: Int) -> DroppedBytes? { file.setCacheLimit(limit) }

    /// The address after redirects.
    var address: String { file.address }

    /// Creates FFmpeg's I/O context, which reads through this object.
    private func makeContext() throws(MediaError) {
        let opaqueSelf = Unmanaged.passUnretained(self).toOpaque()
        context = cffmpeg_io_context(
            Self.bufferSize, opaqueSelf,
            { opaque, bytes, count in
                guard let opaque, let bytes, count > 0 else { return cffmpeg_error(EINVAL) }
                return Unmanaged<HTTPInput>.fromOpaque(opaque).takeUnretainedValue().read(
                    into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
            },
            { opaque, offset, whence in
                guard let opaque else { return -1 }
                return Unmanaged<HTTPInput>.fromOpaque(opaque).takeUnretainedValue().seek(
                    offset: offset, whence: whence)
            })
        guard let context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        context.pointee.seekable = file.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    /// Reads bytes for FFmpeg; returns their number or an FFmpeg error code.
    private func read(into target: UnsafeMutableRawBufferPointer) -> Int32 {
        do throws(HTTPError) {
            guard let count = try file.read(into: target, interruption()) else { return cffmpeg_error_exit }
            return count == 0 ? cffmpeg_error_eof : Int32(clamping: count)
        } catch {
            failure = error
            return cffmpeg_error(EIO)
        }
    }

    /// Moves the read position for FFmpeg and returns it, or returns the size of the resource.
    private func seek(offset: Int64, whence: Int32) -> Int64 {
        let unknown = Int64(cffmpeg_error(ENOSYS))
        if whence & AVSEEK_SIZE != 0 { return file.size ?? unknown }
        let baseOffset: Int64? =
            switch whence & 0x3 {
            case SEEK_SET: 0
            case SEEK_CUR: file.position
            default: file.size
            }
        guard let baseOffset else { return unknown }
        let (target, overflows) = baseOffset.addingReportingOverflow(offset)
        guard !overflows, target >= 0, file.isSeekable || target == file.position else {
            return Int64(cffmpeg_error(EINVAL))
        }
        failure = nil
        file.seek(to: target)
        return target
    }
}

extension MediaError {
    /// Converts the error of a failed request.
    ///
    /// - Parameter action: The consequence of the failed request, such as `cannot be fetched`.
    init(_ error: HTTPError, doing action: String) {
        let code: Code =
            switch error.code {
            case .cancelled: .interrupted
            case .invalidAddress, .refusedRedirect: .refusedByPolicy
            case .status(401), .status(403), .status(407): .notPermitted
            case .status(404), .status(410): .notFound
            case .untrusted: .untrustedServer
            case .outOfResources: .outOfMemory
            case .unknownHost, .unreachable, .timeout, .status, .incomplete, .notResumable: .network
            case .protocolViolation, .tooLarge: .input
            }
        self.init(code, "\(action): \(error)")
    }

    /// Converts the error of a failed request for a part of a stream, and adds the part's address to the message.
    init(_ error: HTTPError, doing action: String, of address: String) {
        self.init(error, doing: "\(action) (\(Self.messageText(of: address)))")
    }

    /// Creates the error that a part of a stream is unusable, and adds the part's address to the message.
    init(_ code: Code, _ message: String, of address: String) {
        self.init(code, "\(message) (\(Self.messageText(of: address)))")
    }

    /// Returns an address as messages show it: without the query, which may contain secrets, and with limited length.
    private static func messageText(of address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        return path.count <= 200 ? String(path) : "…" + path.suffix(200)
    }
}
