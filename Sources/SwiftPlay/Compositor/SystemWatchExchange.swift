import CompositorProtocol

/// The messages of a connection that keeps the lists of programs up to date. A pure value.
///
/// The connection first requests a notification of the next change, and then the lists: a change between both is
/// notified, and the lists are requested again.
struct SystemWatchExchange {
    /// The reaction to a message.
    enum Action: Equatable {
        /// Request the lists again, in a moment.
        case refresh
        /// The lists are complete.
        case publish
        /// The connection cannot be used. The text gives the reason.
        case fail(String)
    }

    /// The requests for a notification and for all lists.
    static let requests: [SystemRequest] = [.watchPrograms, .listSessions, .listPrograms, .listPictures]

    /// The lists that have arrived since the last requests.
    private(set) var reply = SystemControl.Reply()
    /// The number of requests that were not answered.
    private(set) var pendingCount = 0
    /// Whether the lists have changed while they arrived.
    private var hasChanged = false

    /// Handles a message of the compositor.
    mutating func handle(_ message: ServerMessage) -> [Action] {
        switch message {
        case .welcome(let version):
            return version >= ProtocolVersion.interfaces ? [] : [.fail(Self.tooOld)]
        case .interfaces(let versions):
            return versions[.system] >= 5 ? [.refresh] : [.fail(Self.tooOld)]
        case .audioSession(let session): reply.sessions.append(session)
        case .program(let program): reply.programs.append(program)
        case .programPicture(let picture): reply.pictures.append(picture)
        case .systemState(let conditions): reply.conditions = conditions
        case .programsChanged:
            guard pendingCount == 0 else {
                hasChanged = true
                return []
            }
            return [.refresh]
        case .systemDone:
            guard pendingCount > 0 else { return [] }
            pendingCount -= 1
            guard pendingCount == 0 else { return [] }
            return hasChanged ? [.publish, .refresh] : [.publish]
        case .refused(let reason): return [.fail("the compositor refuses the connection: \(reason)")]
        case .unsupported: return [.fail(Self.tooOld)]
        default: break
        }
        return []
    }

    /// Empties the lists and returns the requests for them; nil while answers to earlier requests are missing.
    mutating func refresh() -> [SystemRequest]? {
        guard pendingCount == 0 else { return nil }
        (reply, hasChanged) = (SystemControl.Reply(), false)
        pendingCount = Self.requests.count
        return Self.requests
    }

    private static let tooOld = "the running compositor is too old. Stop it with SIGTERM and try again"
}
