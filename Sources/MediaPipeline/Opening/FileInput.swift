import CFFmpeg
import Glibc
import SystemCalls

/// A local file or standard input as FFmpeg's input. SwiftPlay opens and reads the file, so that libavformat never
/// opens a path.
///
/// Used by one thread at a time; released after the context that reads through it.
final class FileInput {
    private let descriptor: FileDescriptor
    /// The size of a regular file in bytes; -1 for pipes and devices.
    private let size: Int64
    /// The event descriptor that becomes readable when reading must stop.
    private let interruption: EventDescriptor
    /// Returns whether reading must stop. Called before each read, so that a scan through a large file stops soon after
    /// it is cancelled.
    private let shouldStop: () -> Bool
    /// The complete text of the file, if the file is an HLS playlist (see ``LocalPlaylist``); otherwise nil.
    private var playlist: LocalPlaylist?
    /// The addresses of the segments that the file, if it is an HLS playlist, marks as intentionally missing.
    var gapAddresses: Set<String> { playlist?.gapAddresses ?? [] }
    /// Whether the input is a regular file.
    let isSeekable: Bool
    /// FFmpeg's I/O context, which reads through this object.
    private(set) var context: UnsafeMutablePointer<AVIOContext>?

    /// The size of FFmpeg's read buffer in bytes.
    private static let bufferSize: Int32 = 64 * 1024

    init(path: FilePath, interruption: EventDescriptor, shouldStop: @escaping () -> Bool) throws(MediaError) {
        self.interruption = interruption
        self.shouldStop = shouldStop
        do {
            descriptor = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        } catch {
            let code: MediaError.Code =
                error.number == ENOENT ? .notFound : error.number == EACCES ? .notPermitted : .input
            throw MediaError(code, error.reason)
        }
        (size, isSeekable) = try Self.inspect(descriptor)
        if isSeekable { playlist = LocalPlaylist(descriptor, size: size) }
        try makeContext()
    }

    /// Reads standard input, and stops when `interruption` is signalled.
    init(standardInputUntil interruption: EventDescriptor, shouldStop: @escaping () -> Bool) throws(MediaError) {
        self.interruption = interruption
        self.shouldStop = shouldStop
        do {
            descriptor = try FileDescriptor(duplicating: STDIN_FILENO)
        } catch { throw MediaError(.input, "standard input is closed") }
        (size, isSeekable) = try Self.inspect(descriptor)
        try makeContext()
    }

    deinit {
        guard let context else { return }
        av_free(context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = context
        avio_context_free(&pointer)
    }

    /// Returns the size of the file in bytes (-1 if it has none), and whether it is a regular file. Throws for
    /// directories and empty files.
    private static func inspect(_ descriptor: borrowing FileDescriptor) throws(MediaError) -> (
        size: Int64, isSeekable: Bool
    ) {
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { throw MediaError(.input, "cannot be examined") }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw MediaError(.isDirectory, "is a directory, not a file")
        case S_IFREG:
            guard status.st_size > 0 else { throw MediaError(.isEmpty, "the file is empty") }
            return (Int64(status.st_size), true)
        default: return (-1, false)
        }
    }

    /// Creates FFmpeg's I/O context, which reads through this object.
    private func makeContext() throws(MediaError) {
        let opaqueSelf = Unmanaged.passUnretained(self).toOpaque()
        context = cffmpeg_io_context(
            Self.bufferSize, opaqueSelf,
            { opaque, bytes, count in
                guard let opaque, let bytes else { return cffmpeg_error(EINVAL) }
                return Unmanaged<FileInput>.fromOpaque(opaque).takeUnretainedValue().read(into: bytes, count: count)
            },
            { opaque, offset, whence in
                guard let opaque else { return -1 }
                return Unmanaged<FileInput>.fromOpaque(opaque).takeUnretainedValue().seek(
                    offset: offset, whence: whence)
            })
        guard let context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        context.pointee.seekable = isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    /// Reads up to `count` bytes for FFmpeg; returns their number or an FFmpeg error code.
    private func read(into bytes: UnsafeMutablePointer<UInt8>, count: Int32) -> Int32 {
        if shouldStop() { return cffmpeg_error_exit }
        if let playlist {
            let readCount = playlist.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
            return readCount == 0 ? cffmpeg_error_eof : Int32(clamping: readCount)
        }
        while true {
            do throws(SystemCallError) {
                if !isSeekable {
                    // A pipe may not deliver data for a long time: wait for data or for the interruption.
                    var entries = [Poll.Entry(descriptor.raw), Poll.Entry(interruption.raw)]
                    try Poll.wait(&entries, until: nil)
                    if entries[1].ready != [] { return cffmpeg_error_exit }
                }
                let readCount = try systemCall("read") { Glibc.read(descriptor.raw, bytes, Int(count)) }
                return readCount == 0 ? cffmpeg_error_eof : Int32(readCount)
            } catch {
                if error.number != EAGAIN { return cffmpeg_error(error.number) }
            }
        }
    }

    /// Moves the read position for FFmpeg and returns it, or returns the size of the file.
    private func seek(offset: Int64, whence: Int32) -> Int64 {
        if let playlist {
            return playlist.seek(offset: offset, whence: whence & 0x3, isSizeQuery: whence & AVSEEK_SIZE != 0)
        }
        if whence & AVSEEK_SIZE != 0 { return size >= 0 ? size : Int64(cffmpeg_error(ENOSYS)) }
        let result = lseek(descriptor.raw, Int(offset), whence & 0x3)
        return result >= 0 ? Int64(result) : Int64(cffmpeg_error(errno))
    }
}
