/// The player that an IPC server controls.
///
/// The server's thread calls these methods, one at a time. A method must not wait for a thread that is inside
/// ``IPCServer/close()``, and must return soon, because all clients wait for it. A method may call the server's
/// `broadcast` and `reportChange`.
protocol IPCTarget: AnyObject, Sendable {
    /// Returns the value of a property.
    ///
    /// - Parameter name: mpv's name of the property.
    /// - Throws: ``IPCError/propertyNotFound`` for an unknown name, ``IPCError/propertyUnavailable`` if the property
    ///   has no value now.
    func getProperty(_ name: String) throws(IPCError) -> JSONValue

    /// Returns the events after which the observers of a property must read it again.
    func changesOfProperty(_ name: String) -> PropertyChanges

    /// Returns the names of a command's arguments, in order; nil if there is no such command.
    ///
    /// - Parameter command: The name, spelt with hyphens.
    func argumentNames(ofCommand command: String) -> [String]?

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

    /// Executes a command for a client, as ``run(_:_:)`` does.
    ///
    /// - Parameter client: The name of the client, for commands whose effect ends when the client disconnects.
    func run(_ command: String, _ arguments: [JSONValue], client: String) throws(IPCError) -> JSONValue?

    /// Ends the effects of a client's commands, because the client has disconnected.
    func clientDidDisconnect(_ name: String)
}

extension IPCTarget {
    func run(_ command: String, _ arguments: [JSONValue], client: String) throws(IPCError) -> JSONValue? {
        try run(command, arguments)
    }

    func clientDidDisconnect(_ name: String) {}
}
