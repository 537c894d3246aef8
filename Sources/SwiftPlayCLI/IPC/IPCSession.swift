import SystemCalls

/// The protocol state of one client, without its socket: it takes requests and produces replies and events.
struct IPCSession {
    /// The properties that a request may have changed, for the observers of all clients.
    enum Effect: Equatable {
        case nothing
        case property(String)
        case anything
    }

    /// The client's name, as `client_name` returns it.
    let name: String
    /// The host time, in nanoseconds, that `get_time_us` counts from.
    let start: Int64
    private let target: any IPCTarget
    private let limits: IPCLimits

    var observers: PropertyObservers
    var disabledEvents: Set<String> = []
    var output = OutputBuffer()

    init(name: String, target: any IPCTarget, limits: IPCLimits = IPCLimits(), start: Int64 = MonotonicTime.now) {
        self.name = name
        self.target = target
        self.limits = limits
        self.start = start
        observers = PropertyObservers(capacity: limits.observers)
    }

    /// True when the pending output exceeds ``IPCLimits/outputBytes``.
    var isOverflowing: Bool { output.count > limits.outputBytes }

    /// Executes one line and appends the reply to ``output``.
    mutating func receive(_ line: ArraySlice<UInt8>) -> Effect {
        switch IPCRequest(line: line) {
        case .nothing:
            return .nothing
        case .malformed(let id):
            reply(id, .failure(.invalidParameter))
            return .nothing
        case .text(let commands):
            for command in commands { _ = runCommand(command, on: target) }
            return .anything
        case .command(let command, let id):
            if let outcome = builtin(command, on: target) {
                reply(id, outcome)
                guard Self.setters.contains(command.name), case .string(let property)? = command.arguments.first else {
                    return .nothing
                }
                return .property(property)
            }
            reply(id, runCommand(command, on: target))
            return .anything
        }
    }

    /// Appends an event to ``output``, unless the client disabled it.
    mutating func deliver(_ event: IPCEvent) {
        guard !disabledEvents.contains(event.name) else { return }
        output.append { event.encode(into: &$0) }
    }

    /// Appends changes of observed properties to ``output``, unless more than ``IPCLimits/eagerBytes`` are pending.
    mutating func deliverPropertyChanges() {
        guard observers.isMarked, output.count <= limits.eagerBytes else { return }
        let changes = observers.takeChanges { [target] name in try? target.getProperty(name) }
        for change in changes { output.append { change.encode(into: &$0) } }
    }

    private static let setters: Set<String> = ["set_property", "set_property_string"]

    private mutating func reply(_ id: JSONValue, _ outcome: IPCReply.Outcome) {
        output.append { IPCReply(requestID: id, outcome: outcome).encode(into: &$0) }
    }
}
