import AudioPolicy
import CompositorProtocol
import Glibc
import SystemCalls
import WireFormat

/// Tells the compositor what happens to the whole machine, and asks it how things stand. Blocks.
package enum SystemControl {
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    package struct Answer: Sendable {
        package var route: AudioRoute?
        package var conditions = SystemFacts()
        package var sessions: [AudioSessionFacts] = []
        package init() {}
    }

    private static let patience: Int64 = 3_000_000_000

    /// - Parameter startsCompositor: whether it is started where there is none.
    /// - Returns: route and sessions, where those were asked for; nil where there is no compositor and none was started.
    package static func perform(_ request: SystemRequest, startsCompositor: Bool) throws(Failure) -> Answer? {
        let socket: MessageSocket
        do throws(CompositorLauncher.Failure) {
            guard let made = try startsCompositor ? CompositorLauncher.connect() : CompositorLauncher.connectIfRunning() else { return nil }
            socket = made
        } catch { throw Failure(description: error.description) }
        // A compositor that refuses has ended the connection by now; its reason is read all the same.
        try? socket.send(ClientMessage.hello(
            current: ProtocolVersion.current, oldest: ProtocolVersion.oldest, program: "system").encoded)
        do {
            return try converse(request, isKept: true, socket)
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(description: "the compositor does not answer: \(error)") }
    }

    /// Announces a condition that holds while this process runs: announces it again to each new compositor, and does not return while there
    /// is one.
    ///
    /// - Parameter announced: called after each announcement.
    package static func hold(_ request: SystemRequest, announced: () -> Void) throws(Failure) -> Never {
        var losses: [Int64] = []
        while true {
            let socket: MessageSocket
            do throws(CompositorLauncher.Failure) { socket = try CompositorLauncher.connect() } catch { throw Failure(description: error.description) }
            try? socket.send(ClientMessage.hello(
                current: ProtocolVersion.current, oldest: ProtocolVersion.leases, program: "system").encoded)
            do {
                _ = try converse(request, isKept: false, socket)
                announced()
                waitForEnd(of: socket)
            } catch let failure as Failure {
                throw failure
            } catch let error as SystemCallError where error.number == EPROTO {
                throw Failure(description: "the compositor that runs is too old for conditions that end with a program")
            } catch {}
            losses = (losses + [MonotonicTime.now]).suffix(lossLimit)
            if losses.count == lossLimit, MonotonicTime.now - (losses.first ?? 0) < lossPeriod {
                throw Failure(description: "the compositor ends again and again")
            }
        }
    }

    /// A compositor that is lost so often within ``lossPeriod`` nanoseconds is not started again.
    private static let lossLimit = 4, lossPeriod: Int64 = 10_000_000_000

    private static func waitForEnd(of socket: MessageSocket) {
        while true {
            switch socket.receive() {
            case .nothing: guard (try? Poll.waitReadable(socket.raw, until: nil)) != nil else { return }
            case .closed: return
            case .message: break
            }
        }
    }

    private static func converse(_ request: SystemRequest, isKept: Bool, _ socket: MessageSocket) throws -> Answer {
        let deadline = MonotonicTime.now + patience
        var answer = Answer()
        while true {
            switch socket.receive() {
            case .nothing:
                guard try Poll.waitReadable(socket.raw, until: deadline) else { throw SystemCallError(call: "poll", number: ETIMEDOUT) }
            case .closed: throw SystemCallError(call: "recvmsg", number: ECONNRESET)
            case .message(let incoming):
                switch try? ServerMessage(decoding: incoming.bytes) {
                case .welcome(let version):
                    guard version >= ProtocolVersion.audio else { throw SystemCallError(call: "hello (an older compositor runs)", number: EPROTO) }
                    // Version 6 keeps every event.
                    try socket.send(ClientMessage.system(request, isKept: isKept && version >= ProtocolVersion.leases).encoded)
                case .audioSession(let facts): answer.sessions.append(facts)
                case .audioRoute(let route): answer.route = route
                case .systemState(let facts): answer.conditions = facts
                case .systemDone: return answer
                case .refused(let reason): throw Failure(description: "the compositor refuses the connection: \(reason)")
                default: break
                }
            }
        }
    }
}
