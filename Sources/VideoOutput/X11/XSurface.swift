import CXCB
import SharedFrames
import SystemCalls

/// What is seen in one X window: draws frames into a buffer and puts it on screen. Any thread, one at a time inside.
package final class XSurface: Sendable {
    private final class State {
        var size: PixelSize
        /// The size that buffers are made in; nil: the window's.
        let room: PixelSize?
        var bufferSize: PixelSize { room ?? size }
        /// Of what the buffer holds.
        var drawn = PixelSize(width: 0, height: 0)
        /// What is drawn into, and was put last. One is enough: by the time the next picture is drawn the server has
        /// long read the last, and is waited for otherwise; but a second one where pictures wait for the screen's
        /// refresh.
        var buffer: XPixelBuffer?
        var spare: XPixelBuffer?
        let presenter: XPresenter?
        let waits: Bool
        /// The buffer holds a picture that is not on screen yet.
        var isPrepared = false
        let scaler = PictureScaler()
        init(size: PixelSize, room: PixelSize?, presenter: XPresenter?, waits: Bool) {
            self.size = size
            self.room = room
            self.presenter = presenter
            self.waits = waits
        }
    }

    private let connection: XConnection
    private let window: xcb_window_t
    private let context: xcb_gcontext_t
    // Sendable: the buffers never leave the lock.
    private let state: Monitor<State>
    /// The window's size, readable while a thread draws, which may wait for the server.
    private let area: Monitor<PixelSize>
    package let room: PixelSize?

    /// - Parameters:
    ///   - room: the largest size that the window will have, where it changes often: one buffer serves them all.
    ///   - waits: whether drawing waits, 50 ms at most, while the server still reads the buffer. Otherwise a picture is
    ///     drawn only while ``isReady`` is true.
    package init(
        connection: XConnection, window: xcb_window_t, size: PixelSize, room: PixelSize? = nil,
        mode: XPresentMode = .auto,
        waits: Bool = true
    ) {
        self.connection = connection
        self.window = window
        self.room = room
        area = Monitor(size)
        context = connection.newID()
        xcb_create_gc(connection.pointer, context, window, XCB_GC_GRAPHICS_EXPOSURES.rawValue, [0])
        state = Monitor(
            State(
                size: size, room: room, presenter: XPresenter(connection: connection, window: window, mode: mode),
                waits: waits))
    }

    deinit { xcb_free_gc(connection.pointer, context) }

    package var size: PixelSize { area.withLock { $0 } }

    /// Draws, in the window's present size.
    private func drawing<Result>(_ body: (State) -> Result) -> Result {
        state.withLock { state in
            state.size = size
            return body(state)
        }
    }

    /// Whether a picture can be drawn without waiting for the server. An event or an answer of the server, which makes
    /// the connection's descriptor readable, comes when this changes to true.
    package var isReady: Bool { drawing { Self.isReady($0) } }

    private static func isReady(_ state: State) -> Bool {
        guard let buffer = state.buffer, buffer.size == state.bufferSize, !state.isPrepared, !buffer.isFree else {
            return true
        }
        guard state.presenter?.isSynchronised == true else { return false }
        guard let spare = state.spare, spare.size == state.bufferSize else { return true }
        return spare.isFree
    }

    /// Takes on the window's new size. Buffers of the old one go with the next picture.
    package func resize(to size: PixelSize) {
        area.withLock { $0 = size }
    }

    /// Draws `picture` into the buffer, with black beside it, and lets `overlay` draw over it.
    ///
    /// - Parameter overlay: gets BGRX pixels, size and stride.
    /// - Returns: false when there is no memory, the format cannot be shown, or the surface is not ready and does not
    ///   wait.
    package func prepare(
        _ picture: PictureMemory, format: FrameFormat, gravity: VideoGravity,
        overlay: ((UnsafeMutableRawPointer, PixelSize, Int) -> Void)? = nil
    ) -> Bool {
        drawing { state in
            guard let buffer = freeBuffer(state) else { return false }
            let size = state.size
            let placement = Placement(
                picture: format.orientedSize, displaySize: format.displaySize, place: size, gravity: gravity)
            let rect = placement.destination
            let target = buffer.pixels + rect.y * buffer.stride + rect.x * 4
            guard
                state.scaler.draw(
                    picture, format: format, source: format.samples(of: placement.source), into: target,
                    size: rect.size, stride: buffer.stride)
            else { return false }
            // After drawing: a scaler may store a few pixels beyond the row.
            if rect.size != size { Self.clear(buffer, size, outside: rect) }
            overlay?(buffer.pixels, size, buffer.stride)
            (state.isPrepared, state.drawn) = (true, size)
            return true
        }
    }

    /// Fills the buffer by other means than a picture.
    ///
    /// - Parameter clears: the buffer is black before; false where all of it is drawn.
    /// - Returns: false when there is no memory.
    @discardableResult
    package func prepare(clears: Bool = true, _ draw: (UnsafeMutableRawPointer, PixelSize, Int) -> Void) -> Bool {
        drawing { state in
            guard let buffer = freeBuffer(state) else { return false }
            if clears {
                buffer.pixels.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.stride * buffer.size.height)
            }
            draw(buffer.pixels, state.size, buffer.stride)
            (state.isPrepared, state.drawn) = (true, state.size)
            return true
        }
    }

    /// Puts what was prepared on screen.
    ///
    /// - Returns: the host time; nil when nothing was prepared.
    package func present() -> Int64? {
        drawing { state in
            guard state.isPrepared, let buffer = state.buffer else { return nil }
            state.isPrepared = false
            buffer.put(state.drawn, window: window, context: context)
            connection.flush()
            return MonotonicTime.now
        }
    }

    /// Puts what was prepared on screen, and has the server paint the window with it from now on where it is uncovered.
    /// The buffer's memory is the server's then.
    ///
    /// - Returns: the window's size that it was drawn for; nil when nothing was prepared: there is no memory.
    func presentAsGround() -> PixelSize? {
        drawing { state in
            guard state.isPrepared, let buffer = state.buffer, buffer.size == state.drawn else { return nil }
            buffer.becomeGround(of: window, context: context)
            buffer.put(state.drawn, window: window, context: context)
            (state.isPrepared, state.buffer, state.spare) = (false, nil, nil)
            connection.flush()
            return buffer.size
        }
    }

    /// What came on screen since this was asked last, in order; empty where the server does not tell.
    package func takeFeedback() -> [PresentFeedback] { drawing { $0.presenter?.takeReports() ?? [] } }

    /// Gives the buffer's memory back until the next picture; what is on screen stays, and is lost when it is covered.
    package func dropBuffer() {
        drawing { state in
            state.isPrepared = false
            state.buffer = nil
            state.spare = nil
            connection.flush()
        }
    }

    /// Puts the last picture on screen again.
    ///
    /// - Returns: false when it is not there any more: whoever knows it must draw it anew.
    package func repaint() -> Bool {
        drawing { state in
            guard !state.isPrepared, let buffer = state.buffer, state.drawn == state.size else { return false }
            buffer.put(state.drawn, window: window, context: context)
            connection.flush()
            return true
        }
    }

    private func freeBuffer(_ state: State) -> XPixelBuffer? {
        guard state.waits || Self.isReady(state) else { return nil }
        let size = state.bufferSize
        if state.spare?.size != size { state.spare = nil }
        if let buffer = state.buffer, buffer.size == size {
            guard !state.isPrepared, state.presenter?.isSynchronised == true, !buffer.isFree else {
                buffer.waitUntilFree()
                return buffer
            }
            swap(&state.buffer, &state.spare)
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
