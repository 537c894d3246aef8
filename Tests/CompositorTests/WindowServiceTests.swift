import CompositorProtocol
import Logging
import SharedFrames
import SystemCalls
import TestSupport
import Testing
import WireFormat

@testable import Compositor

/// Tests the window service with real X servers and real ring buffers. The tests call the service as the compositor's
/// main thread does.
@Suite struct WindowServiceTests {
    /// Collects the effects that the service requires on programs: messages to programs, disconnections and user
    /// actions.
    private final class EffectLog { var effects: [WindowService.ProgramEffect] = [] }

    private let service: WindowService
    private let effectLog = EffectLog()

    init() throws {
        let effectLog = effectLog
        service = try WindowService(loop: EventLoop(), logger: Logger(label: "test"))
        service.onProgramEffect = { effectLog.effects.append($0) }
    }

    /// Returns a connected program with the given client and process identifiers.
    private func program(_ id: UInt64 = 1, process: Int32 = 1) -> ProgramRegistry.Program {
        var program = ProgramRegistry.Program(id: id, processID: process)
        program.version = ProtocolVersion.newest
        return program
    }

    /// Returns the descriptors that `openSession` requires: two rings and an event.
    private func descriptors() throws -> [SharedDescriptor] {
        let rings = try (0..<2).map { _ in
            SharedDescriptor(try MemoryFile(name: "ring", size: SharedRing.byteCount).descriptor.duplicate())
        }
        let event = try EventDescriptor()
        return rings + [event.descriptor]
    }

    /// Opens a session of a program on an X display.
    private func open(
        _ session: UInt32, on display: String, _ program: ProgramRegistry.Program,
        _ descriptors: [SharedDescriptor]? = nil
    ) throws {
        let surface = ClientMessage.Surface.x11(display: display, authority: "")
        try service.handle(
            .openSession(session: session, surface: surface), descriptors ?? self.descriptors(), from: program)
    }

    /// Returns the messages that the service has sent to a client.
    private func messages(to client: UInt64) -> [ServerMessage] {
        effectLog.effects.compactMap { effect in
            if case .send(let message, let id) = effect, id == client { message } else { nil }
        }
    }

    /// Processes the service's events until it sends `message` to a program.
    private func wait(for message: ServerMessage, to client: UInt64 = 1) throws {
        let deadline = MonotonicTime.now + 30_000_000_000
        while !messages(to: client).contains(message) {
            guard MonotonicTime.now < deadline else {
                throw TestFailure("\(message) was not sent: \(messages(to: client))")
            }
            _ = try Poll.waitReadable(service.reportEvent.raw, until: min(service.deadline ?? deadline, deadline))
            service.process([], now: MonotonicTime.now)
        }
    }

    @Test("sessions on one display share its thread, which ends with the last of them")
    func sessionsOnOneDisplayShareItsThread() throws {
        let display = try PrivateXServer()
        try open(1, on: display.name, program())
        try open(2, on: display.name, program(2))
        try wait(for: .sessionOpened(session: 1))
        try wait(for: .sessionOpened(session: 2), to: 2)
        #expect(service.threads.count == 1)
        service.handleDisconnection(of: 1)
        #expect(service.threads.count == 1)
        service.handleDisconnection(of: 2)
        #expect(service.threads.isEmpty && service.endingThreads.count == 1)
        let deadline = MonotonicTime.now + 30_000_000_000
        while !service.endingThreads.isEmpty, MonotonicTime.now < deadline {
            _ = try Poll.waitReadable(service.reportEvent.raw, until: service.deadline)
            service.process([], now: MonotonicTime.now)
        }
        #expect(service.endingThreads.isEmpty)
    }

    @Test("a display that accepts connections and never answers fails only its own sessions; other displays work")
    func displayThatNeverAnswersFailsOnlyItsOwnSessions() throws {
        let unresponsiveServer = try UnresponsiveXServer(), display = try PrivateXServer()
        try open(1, on: unresponsiveServer.name, program())
        try open(2, on: display.name, program())
        try wait(for: .sessionOpened(session: 2))
        #expect(!messages(to: 1).contains { if case .sessionFailed = $0 { true } else { false } })
        try wait(for: .sessionFailed(session: 1, reason: "the X display \(unresponsiveServer.name) does not answer"))
        #expect(service.sessions.count == 1)
    }

    @Test func onlyChangesOfTheArbiterAreReported() throws {
        final class Count { var value = 0 }
        let changes = Count()
        service.onArbiterChange = { changes.value += 1 }
        for now in 0..<5 { service.process([], now: Int64(now) * 1_000_000) }
        #expect(changes.value == 0)
        let server = try PrivateXServer()
        try open(1, on: server.name, program())
        try wait(for: .sessionOpened(session: 1))
        try service.handle(.requestStart(session: 1), [], from: program())
        try wait(for: .granted(session: 1))
        let changeCountAfterStart = changes.value
        #expect(changeCountAfterStart > 0)
        for _ in 0..<5 { service.process([], now: MonotonicTime.now) }
        #expect(changes.value == changeCountAfterStart)
    }

    @Test("while an X server is stopped, other displays work, stops are answered, and only its own session fails")
    func stoppedServerFailsOnlyItsOwnSession() throws {
        let stoppedServer = try PrivateXServer(), otherServer = try PrivateXServer()
        let ring = try MemoryFile(name: "frames", size: SharedRing.byteCount),
            writer = try SharedRingWriter(ring)
        let descriptors = try [SharedDescriptor(ring.descriptor.duplicate())] + self.descriptors().dropFirst()
        try open(1, on: stoppedServer.name, program(), descriptors)
        try wait(for: .sessionOpened(session: 1))
        stoppedServer.suspend()
        let resumption = try stoppedServer.resumeAfter(.seconds(120))
        try service.handle(.requestStart(session: 1), [], from: program())
        try wait(for: .granted(session: 1))
        let gray = try #require(PixelFormat(name: "gray"))
        let layout = try #require(
            FrameLayout(pixelFormat: gray, width: 64, height: 36, planes: [.init(offset: 0, stride: 64)]))
        let memory = try MemoryFile(name: "frame", size: 4096)
        let session = try #require(service.sessions[SessionKey(client: 1, session: 1)])
        try service.handle(
            .addSlot(session: 1, slot: 1), [SharedDescriptor(memory.descriptor.duplicate())], from: program())
        try service.handle(
            .format(session: 1, number: 1, format: FrameFormat(layout: layout, attributes: PictureAttributes())), [],
            from: program())
        // Opening the window queries the monitors of the X server. The stopped server does not reply, so the drawing
        // thread blocks.
        try service.handle(.start(session: 1), [], from: program())
        writer.push(FrameEntry(frame: 1, slot: 1, format: 1, presentationTime: 0, hostTime: 0).entry)
        session.thread.mailbox.post(.readFrames(session.handle, upTo: 1))
        try service.handle(.stop(session: 1), [], from: program())
        try open(2, on: otherServer.name, program(2))
        try wait(for: .sessionOpened(session: 2), to: 2)
        try wait(for: .stopped(session: 1))
        #expect(messages(to: 1).contains(.sessionFailed(session: 1, reason: "the connection to the X server was lost")))
        #expect(!messages(to: 2).contains { if case .sessionFailed = $0 { true } else { false } })
        #expect(!resumption.hasExpired)
        resumption.end()
    }

    @Test func oneProcessMayConnectToFourDisplaysAtATime() throws {
        let unresponsiveServers = try (0..<5).map { _ in try UnresponsiveXServer() }
        for (index, display) in unresponsiveServers.enumerated() {
            try open(UInt32(index), on: display.name, program())
        }
        // Displays that have not answered yet count, so the fifth display exceeds the limit of four.
        #expect(messages(to: 1) == [.sessionFailed(session: 4, reason: "the program waits for too many X displays")])
        try open(0, on: unresponsiveServers[4].name, program(2, process: 2))
        #expect(service.threads.count == 5 && messages(to: 2).isEmpty)
    }

    @Test("a breach of the protocol disconnects only its own program")
    func protocolViolationDisconnectsOnlyItsProgram() throws {
        for id in 1...2 as ClosedRange<UInt64> {
            try service.handle(.openSession(session: 1, surface: .headless), descriptors(), from: program(id))
            try wait(for: .sessionOpened(session: 1), to: id)
        }
        try service.handle(
            .addSlot(session: 1, slot: 1), [SharedDescriptor(FileDescriptor(duplicating: 0))], from: program(1))
        let deadline = MonotonicTime.now + 30_000_000_000
        var disconnectedClients: [UInt64] = []
        while disconnectedClients.isEmpty, MonotonicTime.now < deadline {
            _ = try Poll.waitReadable(service.reportEvent.raw, until: deadline)
            service.process([], now: MonotonicTime.now)
            disconnectedClients = effectLog.effects.compactMap {
                if case .disconnect(let id, _) = $0 { id } else { nil }
            }
        }
        #expect(disconnectedClients == [1])
        try service.handle(.stop(session: 1), [], from: program(2))
        try wait(for: .stopped(session: 1), to: 2)
    }
}
