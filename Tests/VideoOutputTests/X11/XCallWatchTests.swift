import CXCB
import SharedFrames
import SystemCalls
import TestSupport
import Testing
@testable import VideoOutput
import class VideoOutput.XConnection

@Suite struct XCallWatchTests {
    private func connect(to display: PrivateDisplay, _ watch: XCallWatch) throws -> XConnection {
        let socket = try XDisplaySocket(display: display.name, until: MonotonicTime.now + 10_000_000_000)
        return try XConnection(socket: socket, authority: "", watch: watch)
    }

    @Test("a server that is stopped: the call that waits for it fails, the connection ends, and others do not")
    func aStoppedServer() throws {
        let stopped = try PrivateDisplay(), other = try PrivateDisplay(), watch = try XCallWatch()
        let connection = try connect(to: stopped, watch), neighbour = try connect(to: other, watch)
        let late = try connect(to: stopped, watch)
        #expect(connection.sync() && neighbour.sync() && late.sync())
        stopped.stop()
        let rescue = try stopped.continueAfter(.seconds(20))
        #expect(!connection.sync() && connection.isBroken)
        #expect(!rescue.isOver, "it was waited for until the server went on")
        #expect(neighbour.sync() && !neighbour.isBroken)
        // A connection that nobody waits for stays, and works when the server goes on.
        #expect(!late.isBroken)
        rescue.end()
        #expect(late.sync())
    }

    @Test("a server that does not read: what it has no room for is not waited for")
    func aServerThatDoesNotRead() throws {
        let display = try PrivateDisplay(), watch = try XCallWatch(), connection = try connect(to: display, watch)
        let window = XWindow(connection: connection, frame: PixelRect(x: 0, y: 0, width: 1000, height: 1000))
        #expect(connection.sync())
        display.stop()
        let rescue = try display.continueAfter(.seconds(20))
        let words = [UInt32](repeating: 0, count: 1000)
        for _ in 0..<2000 where !connection.isBroken {
            window.set(connection.atoms.opacity, type: XCB_ATOM_CARDINAL.rawValue, words)
            connection.flush()
        }
        #expect(connection.isBroken && !rescue.isOver)
        rescue.end()
    }

    @Test func whatIsNoDisplayIsNotConnectedTo() {
        for name in ["no display", ":notanumber", ":98765", "127.0.0.1:65535"] {
            #expect(throws: XError.self, "\(name)") { try XDisplaySocket(display: name, until: MonotonicTime.now) }
        }
    }
}
