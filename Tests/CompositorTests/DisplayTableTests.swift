import CompositorProtocol
import SystemCalls
import TestSupport
import Testing
import VideoOutput
import class VideoOutput.XConnection
@testable import Compositor

@Suite struct DisplayTableTests {
    private func key(_ display: String) throws -> DisplayTable.Key { try #require(DisplayTable.Key(.x11(display: display, authority: ""))) }

    /// Waits for the next outcome.
    private func finish(_ table: inout DisplayTable) throws -> DisplayOpening.Outcome {
        let deadline = MonotonicTime.now + 20_000_000_000
        while true {
            if let finished = table.takeFinished(now: MonotonicTime.now).first { return finished.outcome }
            guard MonotonicTime.now < deadline else { throw RigError("the display is neither open nor not") }
            _ = try Poll.waitReadable(table.descriptor, until: min(table.deadline ?? deadline, deadline))
        }
    }

    @Test func aDisplayIsConnectedToOnceAndInTheBackground() throws {
        let display = try PrivateDisplay(), key = try key(display.name)
        var table = try DisplayTable()
        for _ in 0..<3 { guard case .opening = table.find(key) else { throw RigError("it is not being opened") } }
        guard case .connected(let connection) = try finish(&table) else { throw RigError("it could not be opened") }
        guard case .connected(let found) = table.find(key) else { throw RigError("it is forgotten") }
        #expect(found === connection && table.connections.count == 1 && table.deadline == nil)
        table.dropUnused(in: [.headless])
        #expect(table.connections.isEmpty)
    }

    @Test("a display that accepts and never answers fails in the end; one that nobody waits for any longer is called off")
    func aSilentDisplay() throws {
        let silent = try SilentDisplay(), key = try key(silent.name)
        var table = try DisplayTable()
        guard case .opening = table.find(key) else { throw RigError("it is not being opened") }
        #expect(table.takeFinished(now: MonotonicTime.now).isEmpty)
        let deadline = try #require(table.deadline)
        guard case .failed = table.takeFinished(now: deadline).first?.outcome else { throw RigError("it is still waited for") }
        #expect(table.connections.isEmpty && table.deadline == nil)
        guard case .opening = table.find(key) else { throw RigError("it is not tried again") }
        table.dropUnused(in: [])
        #expect(table.deadline == nil)
    }

    @Test func aDisplayThatIsNotThereFails() throws {
        var table = try DisplayTable()
        guard case .opening = table.find(try key("127.0.0.1:199")) else { throw RigError("it is not being opened") }
        guard case .failed = try finish(&table) else { throw RigError("something is there") }
    }
}
