/// The limits on what clients may use.
struct IPCLimits: Sendable {
    /// The largest number of clients at a time. The server disconnects any further client.
    var clients = 64
    /// The largest size of a request, in bytes. The server disconnects a client that sends a longer one.
    var lineBytes = 1 << 20
    /// The largest size of a client's pending output, in bytes. The server disconnects a client that exceeds it.
    var outputBytes = 4 << 20
    /// While a client's pending output exceeds this size, in bytes, the server defers its property changes. Later the
    /// client receives the latest values only.
    var eagerBytes = 64 << 10
    /// The largest number of events that wait for the server's thread. Further events are dropped, and clients receive
    /// `event-queue-overflow`.
    var events = 1024
    /// The largest number of property observers of one client.
    var observers = 1024
}
