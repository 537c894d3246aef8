import CompositorProtocol
import SystemCalls

/// The service that notifies clients, such as the overview, when the lists of programs have changed. Used by the
/// compositor's main thread.
///
/// A request is answered once: a client that does not read never has more than one notification waiting.
final class ProgramWatchService: EventSource {
    /// The answers to the queries of programs.
    struct Lists: Equatable {
        var programs: [ProgramSnapshot] = []
        var sessions: [AudioSessionSnapshot] = []
        var pictures: [ProgramPicture] = []
        var conditions = SystemSnapshot()
    }

    /// Returns the current answers.
    private let read: () -> Lists
    /// Notifies a client.
    private let notify: (_ client: UInt64) -> Void
    /// The shortest time between two comparisons, in nanoseconds: frames of a film arrive more often.
    static let interval = MonotonicTime.nanosecondsPerSecond / 10
    /// The answers at the time of each client's request.
    private var requests: [UInt64: Lists] = [:]
    /// The host time before which the lists are not compared again.
    private var nextComparison: Int64 = .min
    /// Whether the lists may have changed since the last comparison.
    private var needsComparison = false

    /// Creates a service without clients.
    init(read: @escaping () -> Lists, notify: @escaping (_ client: UInt64) -> Void) {
        (self.read, self.notify) = (read, notify)
    }

    /// Notifies a client when the lists differ from the present ones.
    func handleRequest(of client: UInt64) { requests[client] = read() }

    /// Forgets the request of a disconnected client.
    func handleDisconnection(of client: UInt64) { requests[client] = nil }

    var deadline: Int64? { needsComparison && !requests.isEmpty ? nextComparison : nil }

    /// Compares the lists while clients wait; if ``interval`` has not passed yet, at ``deadline``.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard !requests.isEmpty else { return }
        needsComparison = now < nextComparison
        guard !needsComparison else { return }
        nextComparison = now + Self.interval
        let lists = read()
        for client in requests.filter({ $0.value != lists }).keys.sorted() {
            requests[client] = nil
            notify(client)
        }
    }
}
