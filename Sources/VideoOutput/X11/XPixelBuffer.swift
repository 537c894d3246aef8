import CXCB
import SharedFrames
import SystemCalls

/// A buffer of BGRX pixels for an X window: memory shared with the X server if possible, private memory otherwise.
///
/// One ``XSurface`` owns the buffer and uses it only under the surface's lock.
final class XPixelBuffer {
    /// The size of the buffer in pixels.
    let size: PixelSize
    /// The number of bytes from one row to the next.
    var stride: Int { size.width * 4 }
    /// The memory of the pixels.
    let mapping: Mapping
    /// The connection to the server.
    private let connection: XConnection
    /// The shared memory segment at the server; nil if the memory is private.
    private let segment: xcb_shm_seg_t?
    /// The Present extension, which shows ``pixmap``; nil if plain requests show the buffer.
    private let presenter: XPresenter?
    /// The server's pixmap whose memory is this buffer; 0 without ``presenter``.
    private let pixmap: xcb_pixmap_t
    /// The pending request whose reply arrives after the server has read the picture; nil if no such request is
    /// pending.
    private var fence: xcb_get_input_focus_cookie_t?
    /// The host time at which ``put(_:window:context:)`` was last called, in nanoseconds.
    private var lastPutTime: Int64 = 0

    /// The number of bytes beyond the last pixel that the scaler's widest vector stores may overwrite.
    private static let slackByteCount = 4096

    /// Allocates the memory and shares it with the server if possible.
    init(connection: XConnection, window: xcb_window_t, size: PixelSize, presenter: XPresenter?) throws(SystemCallError)
    {
        self.size = size
        self.presenter = connection.acceptsSharedMemory ? presenter : nil
        self.connection = connection
        let file = try MemoryFile(name: "swiftplay-window", size: size.width * size.height * 4 + Self.slackByteCount)
        mapping = try file.map(writable: true)
        if connection.acceptsSharedMemory {
            let id = connection.newID()
            // A pixmap needs memory that the server may write to. Read access is enough otherwise.
            xcb_shm_attach_fd(
                connection.pointer, id, try file.descriptor.duplicate().release(), presenter == nil ? 1 : 0)
            segment = id
        } else {
            segment = nil
        }
        pixmap = self.presenter == nil ? 0 : connection.newID()
        if pixmap != 0, let segment, let width = UInt16(exactly: size.width), let height = UInt16(exactly: size.height)
        {
            xcb_shm_create_pixmap(connection.pointer, pixmap, window, width, height, connection.rootDepth, segment, 0)
        }
    }

    deinit {
        if let fence { xcb_discard_reply(connection.pointer, fence.sequence) }
        if let presenter {
            xcb_free_pixmap(connection.pointer, pixmap)
            presenter.markPixmapFree(pixmap)
        }
        if let segment { xcb_shm_detach(connection.pointer, segment) }
    }

    /// Whether the server has finished reading the picture. Reads replies that have arrived, and never waits.
    var isFree: Bool {
        if let presenter {
            guard !presenter.isFree(pixmap) else { return true }
            guard MonotonicTime.now >= lastPutTime + Self.hiddenWindowTimeout else { return false }
            presenter.markPixmapFree(pixmap)
            return true
        }
        guard let cookie = fence else { return true }
        var reply: UnsafeMutableRawPointer?, error: UnsafeMutablePointer<xcb_generic_error_t>?
        guard xcb_poll_for_reply(connection.pointer, cookie.sequence, &reply, &error) != 0 else { return false }
        free(reply)
        free(error)
        fence = nil
        return true
    }

    /// The time in nanoseconds after ``put(_:window:context:)`` at which a buffer always counts as free: the server may
    /// never report that it has read a hidden window's picture.
    static let hiddenWindowTimeout: Int64 = 1_000_000_000

    /// The address of the first pixel.
    var pixels: UnsafeMutableRawPointer { mapping.base }

    /// Waits until the server no longer reads the pixels, at most ``idleEventTimeout`` with the Present extension.
    func waitUntilFree() {
        if let presenter {
            guard !presenter.isFree(pixmap) else { return }
            // The server sends the idle event before its reply to `sync`, unless the picture waits for a screen
            // refresh. In that case poll once a millisecond: XCB can only wait for the event without a deadline, and
            // for a hidden window the event never arrives.
            let deadline = MonotonicTime.now + Self.idleEventTimeout
            while connection.sync(), !presenter.isFree(pixmap), MonotonicTime.now < deadline {
                MonotonicTime.sleep(1_000_000)
            }
            presenter.markPixmapFree(pixmap)
            return
        }
        guard let cookie = fence.take() else { return }
        free(xcb_get_input_focus_reply(connection.pointer, cookie, nil))
    }

    /// The maximum wait, in nanoseconds, for the event that the server no longer reads the picture. The server may keep
    /// a hidden window's picture for a second or more; drawing over that picture is then not visible, so waiting longer
    /// is useless.
    private static let idleEventTimeout: Int64 = 50_000_000

    /// Makes the buffer the background of `window`, with which the server paints parts that other windows no longer
    /// cover.
    ///
    /// Do not draw into the buffer after this call: if the memory is shared, the server paints directly from it.
    func setAsBackground(of window: xcb_window_t, context: xcb_gcontext_t) {
        let xcb = connection.pointer
        if pixmap != 0 {
            xcb_change_window_attributes(xcb, window, XCB_CW_BACK_PIXMAP.rawValue, [pixmap])
            return
        }
        let background = connection.newID()
        xcb_create_pixmap(
            xcb, connection.rootDepth, background, window, UInt16(clamping: size.width), UInt16(clamping: size.height))
        put(size, window: background, context: context)
        xcb_change_window_attributes(xcb, window, XCB_CW_BACK_PIXMAP.rawValue, [background])
        // The server keeps the pixmap while it is the window's background.
        xcb_free_pixmap(xcb, background)
    }

    /// Shows the upper left `part` of the buffer in the upper left corner of `window`.
    func put(_ part: PixelSize, window: xcb_window_t, context: xcb_gcontext_t) {
        lastPutTime = MonotonicTime.now
        if let presenter { return presenter.present(pixmap) }
        let xcb = connection.pointer, width = UInt16(size.width), height = UInt16(size.height)
        let partWidth = UInt16(part.width), partHeight = UInt16(part.height)
        if let segment {
            xcb_shm_put_image(
                xcb, window, context, width, height, 0, 0, partWidth, partHeight, 0, 0, connection.rootDepth,
                UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), 0, segment, 0)
        } else {
            // Send as many rows at a time as one request can hold.
            let maximumRowCount = max(1, (connection.maximumRequestByteCount - 64) / max(stride, 1))
            var y = 0
            while y < part.height {
                let rowCount = min(maximumRowCount, part.height - y)
                xcb_put_image(
                    xcb, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, context, width, UInt16(rowCount), 0,
                    Int16(y), 0,
                    connection.rootDepth, UInt32(rowCount * stride),
                    (pixels + y * stride).assumingMemoryBound(to: UInt8.self))
                y += rowCount
            }
        }
        if let previousFence = fence { xcb_discard_reply(xcb, previousFence.sequence) }
        fence = xcb_get_input_focus(xcb)
    }
}
