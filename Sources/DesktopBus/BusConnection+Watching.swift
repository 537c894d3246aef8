/// Signals for which several parts of the programs wait.
extension BusConnection {
    /// Calls `handler` when a bus name gets another owner, until the returned slot is released.
    ///
    /// - Parameters:
    ///   - name: A well-known name, or the start of names up to a dot.
    ///   - isNamespace: Whether all names that begin with `name` are meant.
    ///   - handler: Receives the name and its new owner, a unique name that is empty if there is no owner.
    package func watchOwners(
        of name: String, isNamespace: Bool = false, handler: @escaping (_ name: String, _ owner: String) -> Void
    ) throws(BusError) -> BusSlot {
        let rule =
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
            + "interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            + "\(isNamespace ? "arg0namespace" : "arg0")='\(name)'"
        return try watch(rule) { signal in
            let texts = signal.arguments.compactMap(\.text)
            // The values are the name, its old owner and its new owner.
            if signal.sender == "org.freedesktop.DBus", texts.count == 3 { handler(texts[0], texts[2]) }
        }
    }

    /// Calls `handler` when logind announces that the machine goes to sleep (true) or has woken up (false), until the
    /// returned slot is released.
    package func watchSleep(handler: @escaping (Bool) -> Void) throws(BusError) -> BusSlot {
        // Only logind may own this name on the system bus.
        let rule =
            "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',"
            + "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'"
        return try watch(rule) { signal in
            if case .bool(let begins)? = signal.arguments.first { handler(begins) }
        }
    }
}
