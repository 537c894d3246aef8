import AudioPolicy
import CompositorProtocol
import Glibc
import SystemCalls
import WireFormat

/// Sends system events to the compositor and reads its state. All functions block.
package enum SystemControl {
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// The state that the compositor reports.
    package struct Answer: Sendable {
        package var route: AudioRoute?
        package var conditions = SystemSnapshot()
        package var sessions: [AudioSessionFacts] = []
        package init() {}
    }

    /// The time limit for the answer to a request, in nanoseconds.
    private static let patience: Int64 = 3_000_000_000

    /// Performs a request.
    ///
    /// - Parameter startsCompositor: Whether the compositor is started if it does not run.
    /// - Returns: The requested state; nil if the compositor does not run and was not started.
    /// - Throws: ``Failure`` if the compositor cannot be started, does not answer or is too old.
    package static func perform(_ request: SystemRequest, startsCompositor: Bool) throws(Failure) -> Answer? {
        let socket: MessageSocket
        do throws(CompositorLauncher.Failure) {
            guard let made = try startsCompositor ? CompositorLauncher.connect() : CompositorLauncher.connectIfRunning()
            else { return nil }
            socket = made
        } catch { throw Failure(description: error.description) }
        sendHello(socket)
        do {
            return try converse(request, isKept: true, oldest: ProtocolVersion.audio, socket)
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(description: "the compositor does not answer: \(error)") }
    }

    /// Announces a condition that lasts while this process runs. If the compositor exits, the condition is announced to
    /// the next one. Returns when another command has ended the condition.
    ///
    /// - Parameter announced: Called after each announcement.
    /// - Throws: ``Failure`` if there is no compositor, if it is too old, or if it exits repeatedly.
    package static func hold(_ request: SystemRequest, announced: () -> Void) throws(Failure) {
        var losses: [Int64] = []
        while true {
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) {
                socket = try CompositorLauncher.connect()
            } catch { throw Failure(description: error.description) }
            sendHello(socket)
            do {
                _ = try converse(request, isKept: false, oldest: ProtocolVersion.leases, socket)
                announced()
                if isEnded(awaiting: socket) { return }
            } catch let failure as Failure {
                throw failure
            } catch {}
            losses = (losses + [MonotonicTime.now]).suffix(lossLimit)
            if losses.count == lossLimit, MonotonicTime.now - (losses.first ?? 0) < lossPeriod {
                throw Failure(description: "the compositor exits repeatedly")
            }
        }
    }

    /// The number of losses within ``lossPeriod`` nanoseconds after which the compositor is not restarted.
    private static let lossLimit = 4, lossPeriod: Int64 = 10_000_000_000

    /// Sends the first message. A failure is ignored: if the compositor has refused and closed the connection, its
    /// reason can still be read.
    private static func sendHello(_ socket: MessageSocket) {
        try? socket.send(
            ClientMessage.hello(
                current: ProtocolVersion.current, oldest: ProtocolVersion.oldest, program: "system"
            ).encoded)
    }

    /// Waits until another command ends the condition, or the connection ends.
    ///
    /// - Returns: Whether the condition ended.
    private static func isEnded(awaiting socket: MessageSocket) -> Bool {
        while true {
            switch socket.receive() {
            case .nothing: guard (try? Poll.waitReadable(socket.raw, until: nil)) != nil else { return false }
            case .closed: return false
            case .message(let incoming):
                if case .systemDone? = try? ServerMessage(decoding: incoming.bytes) { return true }
            }
        }
    }

    /// Exchanges messages with the compositor.
    ///
    /// - Parameter oldest: The first version of the protocol that supports the request.
    private static func converse(
        _ request: SystemRequest, isKept: Bool, oldest: UInt16, _ socket: MessageSocket
    ) throws -> Answer {
        let deadline = MonotonicTime.now + patience
        var answer = Answer()
        while true {
            switch socket.receive() {
            case .nothing:
                guard try Poll.waitReadable(socket.raw, until: deadline) else {
                    throw SystemCallError(call: "poll", number: ETIMEDOUT)
                }
            case .closed: throw SystemCallError(call: "recvmsg", number: ECONNRESET)
            case .message(let incoming):
                switch try? ServerMessage(decoding: incoming.bytes) {
                case .welcome(let version):
                    guard version >= oldest else {
                        throw Failure(
                            description: "the compositor that runs is too old for this: it supports version "
                                + "\(version) of the protocol, and \(oldest) is needed. End it (SIGTERM) and try again")
                    }
                    // Version 6 supports every event.
                    try socket.send(
                        ClientMessage.system(request, isKept: isKept && version >= ProtocolVersion.leases).encoded)
                case .audioSession(let facts): answer.sessions.append(facts)
                case .audioRoute(let route): answer.route = route
                case .systemState(let facts): answer.conditions = facts
                case .systemDone: return answer
                case .unsupported(_, let reason):
                    throw Failure(
                        description:
                            "the compositor that runs is too old for this (\(reason)). End it (SIGTERM) and try again")
                case .refused(let reason):
                    throw Failure(description: "the compositor refuses the connection: \(reason)")
                default: break
                }
            }
        }
    }
}
