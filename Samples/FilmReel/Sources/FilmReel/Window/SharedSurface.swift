import CWallWindow
import Glibc

/// A picture in memory that the X server shares, so that no pixels are sent over the socket. Used on the main thread.
final class SharedSurface {
    let size: PixelSize
    /// The pixels: rows of BGRX without padding.
    let pixels: UnsafeMutableRawBufferPointer
    /// The identifier of the shared memory at the X server.
    let segment: xcb_shm_seg_t
    private let connection: OpaquePointer

    /// The number of bytes of a row.
    var bytesPerRow: Int { size.width * PosterMaker.bytesPerPixel }

    /// Creates a surface.
    ///
    /// - Throws: ``FilmReelError`` if there is no memory, or the X server is on another machine.
    init(connection: OpaquePointer, size: PixelSize) throws {
        self.connection = connection
        self.size = size
        let byteCount = size.width * size.height * PosterMaker.bytesPerPixel
        let identifier = shmget(IPC_PRIVATE, byteCount, Int32(IPC_CREAT) | 0o600)
        guard identifier >= 0 else {
            throw FilmReelError("no shared memory for \(byteCount) bytes: \(String(cString: strerror(errno)))")
        }
        // Remove the identifier, so that the kernel frees the memory when both processes have unmapped it, also after a
        // crash.
        defer { shmctl(identifier, IPC_RMID, nil) }
        guard let address = shmat(identifier, nil, 0), Int(bitPattern: address) != -1 else {
            throw FilmReelError("shared memory cannot be mapped: \(String(cString: strerror(errno)))")
        }
        pixels = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
        segment = xcb_generate_id(connection)
        let cookie = xcb_shm_attach_checked(connection, segment, UInt32(identifier), 1)
        if let error = xcb_request_check(connection, cookie) {
            free(error)
            shmdt(address)
            throw FilmReelError("the X server cannot share memory with this program: is it on another machine?")
        }
    }

    deinit {
        xcb_shm_detach(connection, segment)
        xcb_flush(connection)
        shmdt(pixels.baseAddress)
    }
}
