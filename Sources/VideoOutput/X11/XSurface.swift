import CXCB
import SharedFrames
import SystemCalls

/// The drawing surface of an X window: draws frames into a buffer and shows them.
///
/// Any thread may call the surface's methods; they run one at a time.
package final class XSurface: Sendable {
    /// The buffers of the surface, used only while the lock is held.
    private final class State {
        /// The size of the window.
        var size: PixelSize
        /// The maximum size of the window, which is the size of all buffers; nil if the buffers have the window's
        /// current size.
        let maximumSize: PixelSize?
        /// The size in pixels of buffers that are allocated from now on.
        var bufferSize: PixelSize { maximumSize ?? size }
        /// The size of the picture that was drawn into the buffer.
        var drawnSize = PixelSize(width: 0, height: 0)
        /// The buffer into which pictures are drawn; it also contains the last shown picture. One buffer is usually
        /// enough: the server has read it before the next picture is drawn, or drawing waits. The second buffer,
        /// ``spareBuffer``, is used only while pictures wait for the screen's refresh.
        var buffer: XPixelBuffer?
        /// The second buffer; nil while one buffer is enough.
        var spareBuffer: XPixelBuffer?
        /// Shows buffers through the Present extension; nil if plain requests show them.
        let presenter: XPresenter?
        /// Whether drawing waits while the server still reads the buffer.
        let waitsForServer: Bool
        /// Whether the buffer holds a picture that is not on screen yet.
        var isPrepared = false
        /// Converts and scales frames.
        let scaler = PictureScaler()
        init(size: PixelSize, maximumSize: PixelSize?, presenter: XPresenter?, waitsForServer: Bool) {
            self.size = size
            self.maximumSize = maximumSize
            self.presenter = presenter
            self.waitsForServer = waitsForServer
        }
    }

    /// The connection to the server.
    private let connection: XConnection
    /// The window that shows the pictures.
    private let window: xcb_window_t
    /// The server's graphics context for drawing into the window.
    private let context: xcb_gcontext_t
    // ``State`` is not `Sendable`: its buffers are used only while this lock is held.
    private let state: Monitor<State>
    /// The window's size. It has its own lock because a thread may hold the lock of ``state`` while waiting for the
    /// server.
    private let windowSize: Monitor<PixelSize>
    /// The fixed size of the buffers; nil if they have the window's size.
    package let maximumSize: PixelSize?

    /// Creates the surface of a window.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of a window whose size changes often: one buffer serves all sizes.
    ///   - waitsForServer: Whether drawing waits while the server still reads the buffer; with the Present extension,
    ///     the wait ends after at most 50 ms. If false, drawing fails unless ``isReady`` is true.
    package init(
        connection: XConnection, window: xcb_window_t, size: PixelSize, maximumSize: PixelSize? = nil,
        mode: XPresentMode = .auto,
        waitsForServer: Bool = true
    ) {
        self.connection = connection
        self.window = window
        self.maximumSize = maximumSize
        windowSize = Monitor(size)
        context = connection.newID()
        xcb_create_gc(connection.pointer, context, window, XCB_GC_GRAPHICS_EXPOSURES.rawValue, [0])
        state = Monitor(
            State(
                size: size, maximumSize: maximumSize,
                presenter: XPresenter(connection: connection, window: window, mode: mode),
                waitsForServer: waitsForServer))
    }

    deinit { xcb_free_gc(connection.pointer, context) }

    /// The size of the window in pixels.
    package var size: PixelSize { windowSize.withLock { $0 } }

    /// Runs `body` while holding the lock, after storing the window's current size in the state.
    private func withLockedState<Result>(_ body: (State) -> Result) -> Result {
        state.withLock { state in
            state.size = size
            return body(state)
        }
    }

    /// Whether a picture can be drawn without waiting for the server. If false, a later event or reply makes the
    /// connection's descriptor readable; then read this property again.
    package var isReady: Bool { withLockedState { Self.isReady($0) } }

    /// Returns the value of ``isReady``. Call this method only while holding the lock.
    private static func isReady(_ state: State) -> Bool {
        guard let buffer = state.buffer, buffer.size == state.bufferSize, !state.isPrepared, !buffer.isFree else {
            return true
        }
        guard state.presenter?.isSynchronised == true else { return false }
        guard let spareBuffer = state.spareBuffer, spareBuffer.size == state.bufferSize else { return true }
        return spareBuffer.isFree
    }

    /// Sets the window's new size. The next picture replaces buffers of the old size.
    package func resize(to size: PixelSize) {
        windowSize.withLock { $0 = size }
    }

    /// Draws `picture` into the buffer, with black beside it, and then calls `overlay` to draw over it.
    ///
    /// - Parameter overlay: Receives the BGRX pixels, their size and stride.
    /// - Returns: False if memory cannot be allocated, the pixel format is not supported, or the surface is not ready
    ///   and does not wait.
    package func prepare(
        _ picture: PictureMemory, format: FrameFormat, gravity: VideoGravity,
        overlay: ((UnsafeMutableRawPointer, PixelSize, Int) -> Void)? = nil
    ) -> Bool {
        withLockedState { state in
            guard let buffer = freeBuffer(state) else { return false }
            let size = state.size
            let placement = Placement(
                picture: format.orientedSize, displaySize: format.displaySize, areaSize: size, gravity: gravity)
            let rect = placement.destination
            let targetPixels = buffer.pixels + rect.y * buffer.stride + rect.x * 4
            guard
                state.scaler.draw(
                    picture, format: format, source: format.decodedRect(of: placement.source), into: targetPixels,
                    size: rect.size, stride: buffer.stride)
            else { return false }
            // Clear after drawing because a scaler may store a few pixels beyond the row.
            if rect.size != size { Self.clear(buffer, size, outside: rect) }
            overlay?(buffer.pixels, size, buffer.stride)
            (state.isPrepared, state.drawnSize) = (true, size)
            return true
        }
    }

    /// Prepares a picture that `draw` draws. `draw` receives the BGRX pixels of the buffer, their size, and their
    /// stride in bytes.
    ///
    /// - Parameter clears: Whether the buffer is set to black first; false if `draw` fills all of it.
    /// - Returns: False if memory cannot be allocated, or the surface is not ready and does not wait.
    @discardableResult
    package func prepare(clears: Bool = true, _ draw: (UnsafeMutableRawPointer, PixelSize, Int) -> Void) -> Bool {
        withLockedState { state in
            guard let buffer = freeBuffer(state) else { return false }
            if clears {
                buffer.pixels.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.stride * buffer.size.height)
            }
            draw(buffer.pixels, state.size, buffer.stride)
            (state.isPrepared, state.drawnSize) = (true, state.size)
            return true
        }
    }

    /// Shows the prepared picture.
    ///
    /// - Returns: The host time at which the picture was sent; nil if no picture was prepared.
    package func present() -> Int64? {
        withLockedState { state in
            guard state.isPrepared, let buffer = state.buffer else { return nil }
            state.isPrepared = false
            buffer.put(state.drawnSize, window: window, context: context)
            connection.flush()
            return MonotonicTime.now
        }
    }

    /// Shows the prepared picture and makes it the window's background, with which the server paints parts that other
    /// windows no longer cover. The server then owns the buffer's memory.
    ///
    /// - Returns: The window size for which the picture was drawn; nil if no picture was prepared or the buffer has
    ///   another size.
    func presentAsBackground() -> PixelSize? {
        withLockedState { state in
            guard state.isPrepared, let buffer = state.buffer, buffer.size == state.drawnSize else { return nil }
            buffer.setAsBackground(of: window, context: context)
            buffer.put(state.drawnSize, window: window, context: context)
            (state.isPrepared, state.buffer, state.spareBuffer) = (false, nil, nil)
            connection.flush()
            return buffer.size
        }
    }

    /// Returns, in order, the reports about pictures that reached the screen since the last call of this method; empty
    /// if the server sends no reports.
    package func takeFeedback() -> [PresentFeedback] { withLockedState { $0.presenter?.takeReports() ?? [] } }

    /// Releases the buffers until the next picture is drawn. The picture on screen stays visible until another window
    /// covers it.
    package func dropBuffer() {
        withLockedState { state in
            state.isPrepared = false
            state.buffer = nil
            state.spareBuffer = nil
            connection.flush()
        }
    }

    /// Shows the last picture again, for example after another window covered it.
    ///
    /// - Returns: False if the buffer no longer holds the last picture: the caller must draw it again.
    package func repaint() -> Bool {
        withLockedState { state in
            guard !state.isPrepared, let buffer = state.buffer, state.drawnSize == state.size else { return false }
            buffer.put(state.drawnSize, window: window, context: context)
            connection.flush()
            return true
        }
    }

    /// Returns a buffer to draw into, after waiting for the server if ``State/waitsForServer`` is true. Returns nil if
    /// no buffer is free or memory cannot be allocated.
    private func freeBuffer(_ state: State) -> XPixelBuffer? {
        guard state.waitsForServer || Self.isReady(state) else { return nil }
        let size = state.bufferSize
        if state.spareBuffer?.size != size { state.spareBuffer = nil }
        if let buffer = state.buffer, buffer.size == size {
            guard !state.isPrepared, state.presenter?.isSynchronised == true, !buffer.isFree else {
                buffer.waitUntilFree()
                return buffer
            }
            swap(&state.buffer, &state.spareBuffer)
            if let buffer = state.buffer {
                buffer.waitUntilFree()
                return buffer
            }
        }
        state.buffer = nil
        guard !state.size.isEmpty, size.width >= state.size.width, size.height >= state.size.height,
            let buffer = try? XPixelBuffer(
                connection: connection, window: window, size: size, presenter: state.presenter)
        else { return nil }
        state.buffer = buffer
        return buffer
    }

    /// Sets the buffer's pixels outside `rect` to black.
    private static func clear(_ buffer: XPixelBuffer, _ size: PixelSize, outside rect: PixelRect) {
        for y in 0..<size.height {
            let row = buffer.pixels + y * buffer.stride
            guard y >= rect.y, y < rect.y + rect.height else {
                row.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.stride)
                continue
            }
            row.initializeMemory(as: UInt8.self, repeating: 0, count: rect.x * 4)
            let right = (rect.x + rect.width) * 4
            (row + right).initializeMemory(as: UInt8.self, repeating: 0, count: buffer.stride - right)
        }
    }
}
