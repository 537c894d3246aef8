import Glibc
import SharedFrames
import SystemCalls
import VideoOutput

/// The X11 window of the overview. A thread opens the window and draws it, so that a stopped X server never blocks the
/// main thread.
final class OverviewWindow: Sendable {
    /// What the window reports.
    enum Event: Equatable, Sendable {
        /// The window has opened in this size, on a display of this scale.
        case opened(PixelSize, scale: Double)
        /// The window could not be opened; the text gives the reason.
        case failed(String)
        /// The user or the X server has done something.
        case output(OutputEvent)
        /// A program was to be brought forward, and whether it has a window.
        case activated(String, isFound: Bool)
    }

    /// The work of the thread.
    private struct Work: Sendable {
        /// The scene to draw; nil if it was drawn.
        var scene: OverviewScene?
        /// The program to bring forward, and its processes.
        var activation: (program: String, processIDs: [Int32])?
        var isClosed = false
    }

    /// The connection to the X server, which ``close()`` shuts down.
    private let socket: XDisplaySocket
    private let work = Monitor(Work())
    /// The events that the main thread has not taken.
    private let events = Monitor(OverviewEventQueue())
    /// Signalled after each event.
    let eventDescriptor: EventDescriptor
    private let thread = Monitor<NamedThread?>(nil)

    /// The size of the window at 96 dots per inch.
    private static let initialSize = PixelSize(width: 1008, height: 660)
    /// The time limit for connecting to the X server, and for its last answers, in nanoseconds.
    private static let connectionTimeout: Int64 = 10_000_000_000, closingTimeout: Int64 = 500_000_000

    /// Connects to the X server and starts the thread, which opens the window.
    ///
    /// - Throws: `XError` or `SystemCallError` if there is no X server or no memory.
    init() throws {
        let display = getenv("DISPLAY").map { String(cString: $0) } ?? ""
        socket = try XDisplaySocket(display: display, until: MonotonicTime.now + Self.connectionTimeout)
        eventDescriptor = try EventDescriptor()
        let newThread = try NamedThread("overview window") { [self] in run() }
        thread.withLock { $0 = newThread }
    }

    /// Draws a scene. A scene that is not drawn yet is replaced.
    func show(_ scene: OverviewScene) { work.update { $0.scene = scene } }

    /// Brings a window of a program forward.
    func activate(_ program: String, processIDs: [Int32]) {
        work.update { $0.activation = (program, processIDs) }
    }

    /// Returns the events since the last call of this method.
    func takeEvents() -> [Event] {
        eventDescriptor.drain()
        return events.withLock { $0.take() }
    }

    /// Closes the window. Ends the connection to an X server that does not respond.
    func close() {
        work.update { $0.isClosed = true }
        guard let thread = thread.withLock({ $0.take() }) else { return }
        guard !thread.join(until: MonotonicTime.now + Self.closingTimeout) else { return }
        socket.shutdown()
        thread.join()
    }

    // MARK: Thread

    private func run() {
        let output: X11Output
        do throws(XError) { output = try open() } catch { return publish(.failed(error.description)) }
        publish(.opened(output.size, scale: output.displayScale))
        var painter = OverviewPainter()
        while true {
            let next = work.wait { work -> Work? in
                guard work.scene != nil || work.activation != nil || work.isClosed else { return nil }
                defer { (work.scene, work.activation) = (nil, nil) }
                return work
            }
            guard let next, !next.isClosed else { break }
            if let scene = next.scene {
                _ = output.show { painter.draw(scene, $0, $1, stride: $2) }
            }
            if let activation = next.activation {
                let isFound = activation.processIDs.contains { output.connection.activateWindow(ofProcess: $0) }
                publish(.activated(activation.program, isFound: isFound))
            }
        }
        output.close()
    }

    /// Opens the window. Waits for the X server.
    private func open() throws(XError) -> X11Output {
        let connection = try XConnection(socket: socket, authority: "")
        var options = X11Output.Options()
        (options.title, options.instanceName) = ("SwiftPlay overview", "swiftplay-overview")
        options.keepsAspectRatio = false
        return try X11Output(connection: connection, pictureSize: Self.initialSize, options: options) { [self] in
            publish(.output($0))
        }
    }

    private func publish(_ event: Event) {
        events.withLock { $0.append(event) }
        eventDescriptor.signal()
    }
}
