import AudioOutput
import AudioPolicy
import CompositorProtocol
import Logging
import SystemCalls
import TestSupport
import WireFormat

@testable import Compositor

/// An audio service with programs that are connected through real sockets and share real gain pages with it. The
/// programs have the process ID 0, so that the service queries no sound server about them.
final class AudioServiceFixture {
    /// The program's end of a connection.
    struct Peer {
        /// The number of the connection.
        let id: UInt64
        /// The socket on which the program receives messages.
        let socket: MessageSocket
    }

    let programs: ProgramConnections
    let service: AudioService
    private let loop = EventLoop()

    init() {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        programs = ProgramConnections(loop: loop, logger: logger)
        service = AudioService(
            programs: programs, settings: SettingsFile(path: nil, logger: logger),
            externalPlayers: ExternalPlayersBus(logger: logger, address: { nil }), logger: logger)
    }

    /// Connects a program that uses a version of the protocol.
    func connect(version: UInt16 = ProtocolVersion.newest) throws -> Peer {
        let (socket, peerSocket) = try MessageSocket.pair()
        programs.add(socket, processID: 0)
        guard let id = programs.registry.all.last?.id else { throw TestFailure("the program was refused") }
        programs.recordHello(id, name: "test", version: version, isNewer: false)
        return Peer(id: id, socket: peerSocket)
    }

    /// Passes a request of a program to the service.
    func send(
        _ request: AudioRequest, session: UInt32 = 1, from peer: Peer, _ descriptors: [SharedDescriptor] = []
    ) throws {
        guard let program = programs.registry[peer.id] else { throw TestFailure("the program is not connected") }
        try service.handle(request, of: session, descriptors, from: program)
    }

    /// Opens a session of a program. Returns the shared page with the session's gain commands.
    @discardableResult
    func open(_ peer: Peer, session: UInt32 = 1) throws -> SharedGainPage {
        let page = try SharedGainPage()
        let descriptor = SharedDescriptor(try FileDescriptor(duplicating: page.descriptor))
        try send(.open(mayPlayInBackground: true), session: session, from: peer, [descriptor])
        return page
    }

    /// Opens and activates a session of a program.
    ///
    /// - Parameter isRunning: Whether the session also renders audio.
    func activate(
        _ peer: Peer, session: UInt32 = 1, _ category: AudioCategory = .playback, _ options: AudioCategoryOptions = [],
        isRunning: Bool = true
    ) throws -> SharedGainPage {
        let page = try open(peer, session: session)
        let configuration = try AudioConfiguration(category: category, options: options)
        try send(.configure(configuration), session: session, from: peer)
        try send(.activate(hasGesture: false), session: session, from: peer)
        if isRunning { try send(.running(true), session: session, from: peer) }
        return page
    }

    /// Returns the reports that a program has received since the last call, with their sessions and sequence numbers.
    func takeReports(_ peer: Peer) throws -> [(session: UInt32, sequence: UInt64, report: AudioReport)] {
        var reports: [(UInt32, UInt64, AudioReport)] = []
        while case .message(let message) = peer.socket.receive() {
            guard case .audio(let session, let sequence, let report) = try ServerMessage(decoding: message.bytes)
            else { continue }
            reports.append((session, sequence, report))
        }
        return reports
    }

    /// Returns the host time from which on the interrupted sessions are silent, as the last reply to an activation
    /// states it; nil if the program has received no such reply since the last call.
    func takeSilentTime(_ peer: Peer) throws -> Int64? {
        try takeReports(peer).compactMap { if case .activated(let time, _) = $0.report { time } else { nil } }.last
    }
}
