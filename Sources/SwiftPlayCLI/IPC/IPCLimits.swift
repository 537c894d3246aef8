/// The limits on the resources that clients may use.
struct IPCLimits: Sendable {
    /// The largest number of clients at a time. The server disconnects any further client.
    var maximumClients = 64
    /// The largest size of a request, in bytes. The server disconnects a client that sends a longer request.
    var maximumLineBytes = 1 << 20
    /// The largest size of the output that waits to be sent to a client, in bytes. The server disconnects a client that
    /// exceeds this size.
    var maximumOutputBytes = 4 << 20
    /// The size of the output that waits to be sent to a client, in bytes, above which the server sends it immediately
    /// and defers property changes. Later the client receives only the latest values.
    var flushThresholdBytes = 64 << 10
    /// The largest number of events that wait for the server's thread. Further events are dropped, and clients receive
    /// `event-queue-overflow`.
    var maximumEvents = 1024
    /// The largest number of property observers of one client.
    var maximumObservers = 1024
}
