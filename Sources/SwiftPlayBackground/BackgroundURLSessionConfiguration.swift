import BackgroundProtocol

/// The configuration of a background session.
///
/// A session copies its configuration when it is created. If the service still has transfers of a session with the same
/// identifier, the new configuration also applies to them.
public struct BackgroundURLSessionConfiguration: Sendable, Equatable {
    /// The identifier of the session, unique within the program.
    public let identifier: String
    /// Whether the system chooses good moments for the transfers, such as mains power and an unmetered network.
    public var isDiscretionary = false
    /// Whether the program is started when all transfers of the session have ended and it does not run.
    public var sessionSendsLaunchEvents = true
    /// Whether transfers may use metered networks.
    public var allowsExpensiveNetworkAccess = true
    /// Whether addresses may be `http`, without encryption.
    public var allowsInsecureHTTPLoads = false
    /// The time in seconds without data after which a request is repeated.
    public var timeoutIntervalForRequest: Double = 60
    /// The time in seconds after which a transfer fails, including all repetitions. The default is seven days.
    public var timeoutIntervalForResource: Double = 7 * 86_400
    /// Header fields that are added to every request which does not have them.
    public var httpAdditionalHeaders: [String: String] = [:]
    /// The maximum number of transfers at a time for each host.
    public var httpMaximumConnectionsPerHost = 4

    /// Returns a configuration with default values.
    ///
    /// - Parameter identifier: The identifier of the session: not empty, at most 255 bytes, without control characters.
    public static func background(withIdentifier identifier: String) -> BackgroundURLSessionConfiguration {
        BackgroundURLSessionConfiguration(identifier: identifier)
    }

    private init(identifier: String) { self.identifier = identifier }

    /// The configuration for the service. Values out of range are clamped.
    var wireConfiguration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.isDiscretionary = isDiscretionary
        configuration.sendsLaunchEvents = sessionSendsLaunchEvents
        configuration.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        configuration.allowsInsecureHTTP = allowsInsecureHTTPLoads
        configuration.requestTimeout = Self.seconds(timeoutIntervalForRequest)
        configuration.resourceTimeout = Self.seconds(timeoutIntervalForResource)
        configuration.connectionsPerHost = UInt16(clamping: max(1, httpMaximumConnectionsPerHost))
        return configuration
    }

    /// Returns whole seconds within the limits of the service.
    private static func seconds(_ interval: Double) -> Int64 {
        guard interval.isFinite else { return interval > 0 ? ClientLimits.timeLimit : 1 }
        return Int64(min(max(interval.rounded(.up), 1), Double(ClientLimits.timeLimit)))
    }
}
