import AudioPolicy
import CompositorProtocol
import Glibc
import SystemCalls
import WireFormat

/// Sends system events, such as the start of a phone call, to the compositor and reads the compositor's state. All
/// functions block.
package enum SystemControl {
    /// The reason why a request failed, as a message for the user.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package init(description: String) { self.description = description }
    }

    /// The state that the compositor reports.
    package struct Reply: Sendable {
        /// The current audio route; nil if the compositor has not reported one.
        package var route: AudioRoute?
        /// The conditions of the system that affect audio, such as a phone call.
        package var conditions = SystemSnapshot()
        /// The audio sessions of all programs.
        package var sessions: [AudioSessionSnapshot] = []
        /// The programs that report their windows.
        package var programs: [ProgramSnapshot] = []
        /// The memory use of the programs.
        package var memory: [ProgramMemory] = []
        /// The identifiers under which the pictures of programs are kept.
        package var pictures: [ProgramPicture] = []
        /// The programs that have ended at the user's request, and whether they were killed.
        package var closedPrograms: [(processID: Int32, wasKilled: Bool)] = []
        /// The level of memory pressure. Reported only if the request was for the memory of programs.
        package var memoryPressure = MemoryPressureLevel.normal
        package init() {}
    }

    /// The time limit for the answer to a request, in nanoseconds.
    private static let answerTimeout: Int64 = 3_000_000_000

    /// Sends a request to the compositor and returns the state that the compositor reports.
    ///
    /// - Parameter startsCompositor: Whether the compositor is started if it does not run.
    /// - Returns: The requested state; nil if the compositor does not run and was not started.
    /// - Throws: ``Failure`` if the compositor cannot be started, does not answer or is too old.
    package static func perform(_ request: SystemRequest, startsCompositor: Bool) throws(Failure) -> Reply? {
        // Version 6 of the protocol suffices for a condition that outlives the connection: it keeps every condition,
        // such as a phone call, after the connection has ended.
        let oldestVersion = ClientMessage.system(request, isPersistent: false).version
        var attempt = 0
        while true {
            attempt += 1
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) {
                guard
                    let connectedSocket = try startsCompositor
                        ? CompositorLauncher.connect()
                        : CompositorLauncher.connectIfRunning(until: MonotonicTime.now + answerTimeout)
                else { return nil }
                socket = connectedSocket
            } catch { throw Failure(description: error.description) }
            sendHello(socket)
            do {
                return try exchangeMessages(request, isPersistent: true, oldestVersion: oldestVersion, socket)
            } catch let failure as Failure {
                throw failure
            } catch is ExitedBeforeRequest where attempt < attemptLimit {
                // Try again: the idle compositor was just exiting, and the next attempt reaches a new compositor.
            } catch { throw Failure(description: "the compositor does not respond: \(error)") }
        }
    }

    /// The error for a connection that ended before the compositor received the request.
    private struct ExitedBeforeRequest: Error, CustomStringConvertible {
        var description: String { "it closed the connection" }
    }

    /// The maximum number of attempts to send a request. An attempt fails if the compositor closes the connection
    /// before it receives the request.
    private static let attemptLimit = 3

    /// Announces a condition, such as a phone call, that lasts while this process runs. If the compositor exits,
    /// announces the condition to the next compositor. Returns when another command has ended the condition.
    ///
    /// - Parameter onAnnouncement: Called after each announcement.
    /// - Throws: ``Failure`` if there is no compositor, if it is too old, or if it exits repeatedly.
    package static func holdCondition(_ request: SystemRequest, onAnnouncement: () -> Void) throws(Failure) {
        var lossTimes: [Int64] = []
        while true {
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) {
                socket = try CompositorLauncher.connect()
            } catch { throw Failure(description: error.description) }
            sendHello(socket)
            do {
                _ = try exchangeMessages(
                    request, isPersistent: false, oldestVersion: ProtocolVersion.connectionBoundConditions, socket)
                onAnnouncement()
                if waitForConditionEnd(on: socket) { return }
            } catch let failure as Failure {
                throw failure
            } catch {}
            lossTimes = (lossTimes + [MonotonicTime.now]).suffix(lossLimit)
            if lossTimes.count == lossLimit, MonotonicTime.now - (lossTimes.first ?? 0) < lossPeriod {
                throw Failure(description: "the compositor exits repeatedly")
            }
        }
    }

    /// The number of lost connections within ``lossPeriod`` nanoseconds after which the compositor is not restarted.
    private static let lossLimit = 4, lossPeriod: Int64 = 10_000_000_000

    /// Sends the first message, `hello`. A failure is ignored: if the compositor has refused and closed the connection,
    /// its reason can still be read.
    private static func sendHello(_ socket: MessageSocket) {
        try? socket.send(
            ClientMessage.hello(
                newest: ProtocolVersion.newest, oldest: ProtocolVersion.oldest, program: "system"
            ).encoded)
    }

    /// Waits until another command ends the announced condition (such as a phone call), or until the connection ends.
    ///
    /// - Returns: Whether the condition ended.
    private static func waitForConditionEnd(on socket: MessageSocket) -> Bool {
        while true {
            switch socket.receive() {
            case .nothing: guard (try? Poll.waitReadable(socket.raw, until: nil)) != nil else { return false }
            case .closed: return false
            case .message(let receivedMessage):
                if case .systemDone? = try? ServerMessage(decoding: receivedMessage.bytes) { return true }
            }
        }
    }

    /// Sends a request over a new connection and collects the compositor's answers.
    ///
    /// - Parameters:
    ///   - isPersistent: Whether the condition that the request sets, such as a phone call, lasts longer than the
    ///     connection.
    ///   - oldestVersion: The first version of the protocol that supports the request.
    private static func exchangeMessages(
        _ request: SystemRequest, isPersistent: Bool, oldestVersion: UInt16, _ socket: MessageSocket
    ) throws -> Reply {
        let deadline = MonotonicTime.now + answerTimeout
        var reply = Reply(), isRequestSent = false
        while true {
            switch socket.receive() {
            case .nothing:
                guard try Poll.waitReadable(socket.raw, until: deadline) else {
                    throw SystemCallError(call: "poll", number: ETIMEDOUT)
                }
            case .closed where !isRequestSent: throw ExitedBeforeRequest()
            case .closed: throw SystemCallError(call: "recvmsg", number: ECONNRESET)
            case .message(let receivedMessage):
                switch try? ServerMessage(decoding: receivedMessage.bytes) {
                case .welcome(let version):
                    guard version >= oldestVersion else {
                        throw Failure(
                            description: "the running compositor is too old: it supports protocol version \(version), "
                                + "but \(oldestVersion) is required. Stop it with SIGTERM and try again")
                    }
                    // Protocol version 6 has no field `isPersistent`: its conditions always outlive the connection.
                    let isPersistent = isPersistent && version >= ProtocolVersion.connectionBoundConditions
                    isRequestSent = true
                    try socket.send(ClientMessage.system(request, isPersistent: isPersistent).encoded)
                case .audioSession(let session): reply.sessions.append(session)
                case .program(let program): reply.programs.append(program)
                case .programMemory(let memory): reply.memory.append(memory)
                case .programPicture(let picture): reply.pictures.append(picture)
                case .programClosed(let processID, let wasKilled):
                    reply.closedPrograms.append((processID, wasKilled))
                case .memoryPressure(let level): reply.memoryPressure = level
                case .audioRoute(let route): reply.route = route
                case .systemState(let conditions): reply.conditions = conditions
                case .systemDone: return reply
                case .unsupported(_, let reason):
                    throw Failure(
                        description:
                            "the running compositor is too old (\(reason)). Stop it with SIGTERM and try again")
                case .refused(let reason):
                    throw Failure(description: "the compositor refuses the connection: \(reason)")
                default: break
                }
            }
        }
    }
}
