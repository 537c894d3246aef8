/// The player that an IPC server controls.
///
/// The server's thread calls these methods, one at a time. A method must not wait for a thread that is inside
/// ``IPCServer/close()``, and must return soon, because all clients wait for it. A method may call the server's
/// `broadcast` and `propertyChanged`.
protocol IPCTarget: AnyObject, Sendable {
    /// Returns the value of a property.
    ///
    /// - Parameter name: mpv's name of the property.
    /// - Throws: ``IPCError/propertyNotFound`` for an unknown name, ``IPCError/propertyUnavailable`` if the property
    ///   has no value now.
    func getProperty(_ name: String) throws(IPCError) -> JSONValue

    /// Sets a property. Clients may send any value as a string: see ``JSONValue/propertyFlag()`` and
    /// ``JSONValue/propertyNumber(in:)``.
    func setProperty(_ name: String, _ value: JSONValue) throws(IPCError)

    /// Executes a command such as `seek`, `loadfile`, `cycle` or `quit`.
    ///
    /// - Parameters:
    ///   - command: The name, spelt with hyphens.
    ///   - arguments: The arguments. All are strings if the command arrived as plain text. An omitted argument between
    ///     named arguments is null.
    /// - Returns: The reply's `data`; nil is sent as null.
    /// - Throws: ``IPCError/invalidParameter`` for an unknown command or wrong arguments, otherwise
    ///   ``IPCError/commandFailed``.
    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue?
}
