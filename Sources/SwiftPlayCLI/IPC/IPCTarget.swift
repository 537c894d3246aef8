/// What the remote control controls: the player, as the command line sets it up.
///
/// All calls come on the server's own thread, one at a time. They must not wait for a thread that is inside
/// ``IPCServer/close()``, and must not take long: all clients wait meanwhile. They may call the server's `broadcast`
/// and `propertyChanged`.
protocol IPCTarget: AnyObject, Sendable {
    /// The value of a property, by mpv's name.
    ///
    /// - Throws: `propertyNotFound` for a name that is none, `propertyUnavailable` where there is no value now.
    func getProperty(_ name: String) throws(IPCError) -> JSONValue

    /// Sets a property. Any property may be given as a string: see ``JSONValue/propertyFlag()`` and
    /// ``JSONValue/propertyNumber(in:)``.
    func setProperty(_ name: String, _ value: JSONValue) throws(IPCError)

    /// Carries out a command: `seek`, `loadfile`, `cycle`, `quit`... The name has hyphens only. All arguments are
    /// strings when the command came as text; one left out between named arguments is null.
    ///
    /// - Returns: the reply's `data`; nil is sent as null.
    /// - Throws: `invalidParameter` for an unknown command or wrong arguments, else `commandFailed`.
    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue?
}
