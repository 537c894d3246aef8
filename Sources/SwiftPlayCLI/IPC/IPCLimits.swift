/// How much clients may have of everything.
struct IPCLimits: Sendable {
    /// Clients at a time; one more is hung up on.
    var clients = 64
    /// The bytes of one request; a client that sends a longer one is hung up on.
    var lineBytes = 1 << 20
    /// The bytes that may wait for a client; one that reads too slowly for that is hung up on.
    var outputBytes = 4 << 20
    /// As long as more than this waits for a client it is told of no property changes, later of the last ones only.
    var eagerBytes = 64 << 10
    /// Events that may wait for the server's thread; what comes after is lost, and clients are told so.
    var events = 1024
    /// The properties that one client may observe.
    var observers = 1024
}
