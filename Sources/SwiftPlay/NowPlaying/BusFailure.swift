/// The reason why a player could not be published on the D-Bus session bus, for the log.
struct BusFailure: Error { let reason: String }
