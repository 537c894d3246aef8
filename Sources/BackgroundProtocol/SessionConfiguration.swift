import WireFormat

/// The configuration of a session of background transfers.
package struct SessionConfiguration: StoredValue, Sendable, Equatable {
    /// Whether the service chooses good moments for the transfers: on mains power and unmetered networks.
    package var isDiscretionary = false
    /// Whether the service starts the program when it has events.
    package var sendsLaunchEvents = true
    /// Whether the end of a transfer is an event that the program acknowledges. Without events, the files of finished
    /// transfers belong to the user at once.
    package var deliversEvents = true
    /// Whether transfers may use metered networks.
    package var allowsExpensiveNetworkAccess = true
    /// Whether addresses may be `http`, without encryption.
    package var allowsInsecureHTTP = false
    /// The time without data after which a request is repeated, in seconds.
    package var requestTimeout: Int64 = 60
    /// The time limit of a transfer including all repetitions, in seconds.
    package var resourceTimeout: Int64 = 7 * 86_400
    /// The maximum number of transfers at a time for each host.
    package var connectionsPerHost: UInt16 = 4

    /// Creates the default configuration.
    package init() {}

    /// Appends the configuration to a message.
    package func write(to writer: inout MessageWriter) {
        for flag in [
            isDiscretionary, sendsLaunchEvents, deliversEvents, allowsExpensiveNetworkAccess, allowsInsecureHTTP,
        ] { writer.write(flag) }
        writer.write(requestTimeout)
        writer.write(resourceTimeout)
        writer.write(connectionsPerHost)
    }

    /// Reads a configuration; rejects time limits out of range.
    package init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init()
        isDiscretionary = try reader.read()
        sendsLaunchEvents = try reader.read()
        deliversEvents = try reader.read()
        allowsExpensiveNetworkAccess = try reader.read()
        allowsInsecureHTTP = try reader.read()
        requestTimeout = try reader.read()
        resourceTimeout = try reader.read()
        connectionsPerHost = try reader.read()
        guard (1...ClientLimits.timeLimit).contains(requestTimeout),
            (1...ClientLimits.timeLimit).contains(resourceTimeout), connectionsPerHost > 0
        else { throw MalformedMessage("a time limit or a number of connections is out of range") }
    }
}
