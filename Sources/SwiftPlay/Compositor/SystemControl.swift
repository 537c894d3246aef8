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
        do throws(SystemCallError) {
            try socket.send(ClientMessage.hello(
                current: ProtocolVersion.current, oldest: ProtocolVersion.oldest, program: "system").encoded)
            return try converse(request, socket)
        } catch { throw Failure(description: "the compositor does not answer: \(error)") }
    }

    private static func converse(_ request: SystemRequest, _ socket: MessageSocket) throws(SystemCallError) -> Answer {
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
                    try socket.send(ClientMessage.system(request).encoded)
                case .audioSession(let facts): answer.sessions.append(facts)
                case .audioRoute(let route): answer.route = route
                case .systemDone: return answer
                case .refused: throw SystemCallError(call: "hello", number: ECONNREFUSED)
                default: break
                }
            }
        }
    }
}
