import SystemCalls

/// The protocol state of one IPC client, without its socket: receives requests and produces replies and events.
struct IPCSession {
    /// The properties that a request may have changed, for the observers of all clients.
    enum ChangedProperties: Equatable {
        /// No property changed.
        case nothing
        /// This property may have changed.
        case property(String)
        /// Any property may have changed.
        case anyProperty
    }

    /// The beginning of the name of each client, before its number.
    static let namePrefix = "ipc_"

    /// The client's name, as `client_name` returns it.
    let name: String
    /// The host time, in nanoseconds, that `get_time_us` counts from.
    let startTime: Int64
    /// The player that the client controls.
    private let target: any IPCTarget
    /// The limits of the client.
    private let limits: IPCLimits

    /// The properties that the client observes.
    var observers: PropertyObservers
    /// The names of the events that the client has disabled.
    var disabledEvents: Set<String> = []
    /// The replies and events that wait to be sent.
    var output = OutputBuffer()

    /// Creates the protocol state of a new client.
    init(name: String, target: any IPCTarget, limits: IPCLimits = IPCLimits(), startTime: Int64 = MonotonicTime.now) {
        self.name = name
        self.target = target
        self.limits = limits
        self.startTime = startTime
        observers = PropertyObservers(capacity: limits.maximumObservers)
    }

    /// Whether the pending output exceeds ``IPCLimits/maximumOutputBytes``.
    var isOverflowing: Bool { output.count > limits.maximumOutputBytes }

    /// Executes one line that the client has sent, and appends the reply to ``output``. Returns the properties that may
    /// have changed.
    mutating func receive(_ line: ArraySlice<UInt8>) -> ChangedProperties {
        switch IPCRequest(line: line, argumentNames: target.argumentNames(ofCommand:)) {
        case .nothing:
            return .nothing
        case .malformed(let id):
            appendReply(id, .failure(.invalidParameter))
            return .nothing
        case .text(let commands):
            for command in commands { _ = runCommand(command, on: target) }
            return .anyProperty
        case .command(let command, let id):
            if let outcome = runProtocolCommand(command, on: target) {
                appendReply(id, outcome)
                guard Self.propertySetters.contains(command.name), case .string(let property)? = command.arguments.first
                else {
                    return .nothing
                }
                return .property(property)
            }
            appendReply(id, runCommand(command, on: target))
            return .anyProperty
        }
    }

    /// Appends an event to ``output``, unless the client disabled it or another client is its only recipient.
    mutating func deliver(_ event: IPCEvent) {
        guard !disabledEvents.contains(event.name), event.recipient == nil || event.recipient == name else { return }
        output.append { event.encode(into: &$0) }
    }

    /// Appends changes of observed properties to ``output``, unless more than ``IPCLimits/flushThresholdBytes`` bytes
    /// are pending.
    mutating func deliverPropertyChanges() {
        guard observers.hasMarkedProperties, output.count <= limits.flushThresholdBytes else { return }
        let changes = observers.takeChanges { [target] name in try? target.getProperty(name) }
        for change in changes { output.append { change.encode(into: &$0) } }
    }

    /// The names of the commands that set one property.
    private static let propertySetters: Set<String> = ["set_property", "set_property_string"]

    /// Appends a reply to ``output``.
    private mutating func appendReply(_ id: JSONValue, _ outcome: IPCReply.Outcome) {
        output.append { IPCReply(requestID: id, outcome: outcome).encode(into: &$0) }
    }
}
