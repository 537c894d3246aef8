import CXCB
import SharedFrames
import SystemCalls

/// A picture's worth of BGRX pixels that the X server can see: shared memory where the server takes it, plain memory
/// otherwise.
///
/// Owned by one ``XSurface`` and touched under its lock only.
final class XPixelBuffer {
    let size: PixelSize
    /// Bytes from one row to the next.
    var stride: Int { size.width * 4 }
    let mapping: Mapping
    private let connection: XConnection
    private let segment: xcb_shm_seg_t?
    /// Shows it through the Present extension; nil: by plain requests. The pixmap is made of the same memory.
    private let presenter: XPresenter?
    private let pixmap: xcb_pixmap_t
    /// Answered when the server has read what was put last.
    private var fence: xcb_get_input_focus_cookie_t?
    /// Host time of the last put.
    private var putAt: Int64 = 0

    /// A scaler's widest stores may reach so far beyond the last pixel.
    private static let slack = 4096

    init(connection: XConnection, window: xcb_window_t, size: PixelSize, presenter: XPresenter?) throws(SystemCallError)
    {
        self.size = size
        self.presenter = connection.sharesMemory ? presenter : nil
        self.connection = connection
        let file = try MemoryFile(name: "swiftplay-window", size: size.width * size.height * 4 + Self.slack)
        mapping = try file.map(writable: true)
        if connection.sharesMemory {
            let id = connection.newID()
            // A pixmap is made of memory that the server may write to; otherwise reading is enough.
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
            presenter.forget(pixmap)
        }
        if let segment { xcb_shm_detach(connection.pointer, segment) }
    }

    /// Whether the server has read what was put last. Reads the answers that have arrived, and never waits for one.
    var isFree: Bool {
        if let presenter {
            guard !presenter.isFree(pixmap) else { return true }
            guard MonotonicTime.now >= putAt + Self.hiddenPatience else { return false }
            presenter.forget(pixmap)
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

    /// Nanoseconds after which a buffer counts as free whatever the server says: the idle event of a hidden window's
    /// picture may never come.
    static let hiddenPatience: Int64 = 1_000_000_000

    var pixels: UnsafeMutableRawPointer { mapping.base }

    /// Returns when the server no longer reads the pixels.
    func waitUntilFree() {
        if let presenter {
            guard !presenter.isFree(pixmap) else { return }
            // The server's word of it comes before the answer, unless the picture waits for a refresh: then it is asked
            // once a millisecond, since XCB waits for such a word without a deadline only, and a hidden window's never
            // comes.
            let deadline = MonotonicTime.now + Self.patience
            while connection.sync(), !presenter.isFree(pixmap), MonotonicTime.now < deadline {
                MonotonicTime.sleep(1_000_000)
            }
            presenter.forget(pixmap)
            return
        }
        guard let cookie = fence.take() else { return }
        free(xcb_get_input_focus_reply(connection.pointer, cookie, nil))
    }

    /// A hidden window's pictures may be kept for a second or more: they are not waited for, what is drawn over is not
    /// seen.
    private static let patience: Int64 = 50_000_000

    /// Lets the server paint `window` with it, wherever that is uncovered, until it is given another ground. The buffer
    /// is not drawn into any more: where the server shares its memory that is what is painted with.
    func becomeGround(of window: xcb_window_t, context: xcb_gcontext_t) {
        let c = connection.pointer
        if pixmap != 0 {
            xcb_change_window_attributes(c, window, XCB_CW_BACK_PIXMAP.rawValue, [pixmap])
            return
        }
        let copy = connection.newID()
        xcb_create_pixmap(
            c, connection.rootDepth, copy, window, UInt16(clamping: size.width), UInt16(clamping: size.height))
        put(size, window: copy, context: context)
        xcb_change_window_attributes(c, window, XCB_CW_BACK_PIXMAP.rawValue, [copy])
        // The window keeps it.
        xcb_free_pixmap(c, copy)
    }

    /// Draws its upper left part, of the size given, to the upper left corner of `window`.
    func put(_ part: PixelSize, window: xcb_window_t, context: xcb_gcontext_t) {
        putAt = MonotonicTime.now
        if let presenter { return presenter.present(pixmap) }
        let c = connection.pointer, width = UInt16(size.width), height = UInt16(size.height)
        let wide = UInt16(part.width), high = UInt16(part.height)
        if let segment {
            xcb_shm_put_image(
                c, window, context, width, height, 0, 0, wide, high, 0, 0, connection.rootDepth,
                UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), 0, segment, 0)
        } else {
            // As many rows as one request takes.
            let rows = max(1, (connection.maximumRequestBytes - 64) / max(stride, 1))
            var y = 0
            while y < part.height {
                let count = min(rows, part.height - y)
                xcb_put_image(
                    c, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, context, width, UInt16(count), 0, Int16(y), 0,
                    connection.rootDepth, UInt32(count * stride),
                    (pixels + y * stride).assumingMemoryBound(to: UInt8.self))
                y += count
            }
        }
        if let old = fence { xcb_discard_reply(c, old.sequence) }
        fence = xcb_get_input_focus(c)
    }
}
