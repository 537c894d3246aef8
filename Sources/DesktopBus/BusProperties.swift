/// Properties of one object of another program, which signals of that program keep current. Used by the connection's
/// thread; never waits.
///
/// The properties of a service that does not run have no values. When the service starts again, they are read again.
package final class BusProperties {
    /// The object whose properties are read.
    package struct Source: Sendable {
        /// The well-known bus name of the service.
        package var service: String
        /// The path of the object.
        package var path: String
        /// The D-Bus interface of the properties.
        package var interface: String

        package init(service: String, path: String, interface: String) {
            (self.service, self.path, self.interface) = (service, path, interface)
        }
    }

    /// The values of the properties that the object has.
    package private(set) var values: [String: BusValue] = [:]
    /// Whether the service has answered, or was found missing.
    package private(set) var isRead = false
    /// The properties that are kept: another program can have any number of them.
    private let names: Set<String>
    private let source: Source
    private let startsService: Bool
    /// The connection; nil after its release.
    private weak var connection: BusConnection?
    private let onChange: () -> Void
    /// The registrations for the signals.
    private var slots: [BusSlot] = []

    /// Reads the properties, and watches them until this object is released.
    ///
    /// - Parameters:
    ///   - names: The names of the properties.
    ///   - startsService: Whether the bus starts the service if it is installed but not running.
    ///   - onChange: Called after the first answer, and after ``values`` have changed.
    package init(
        _ names: Set<String>, of source: Source, startsService: Bool = false, on connection: BusConnection,
        onChange: @escaping () -> Void
    ) throws(BusError) {
        (self.names, self.source, self.startsService, self.connection, self.onChange) = (
            names, source, startsService, connection, onChange
        )
        slots = [
            try connection.watch(
                "type='signal',sender='\(source.service)',path='\(source.path)',"
                    + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
                    + "arg0='\(source.interface)'"
            ) { [weak self] in self?.handleChange($0.arguments) },
            try connection.watchOwners(of: source.service) { [weak self] in self?.handleOwner($1) },
        ]
        try request(startsService: startsService)
    }

    /// Requests the values of all properties.
    private func request(startsService: Bool = false) throws(BusError) {
        let call = BusConnection.Call(
            to: source.service, path: source.path, interface: "org.freedesktop.DBus.Properties", "GetAll",
            [.string(source.interface)])
        // Starting a service takes longer than an answer of a running one.
        try connection?.call(call, startsService: startsService, timeout: 30_000_000_000) { [weak self] result in
            // An error means that the service or the object is missing.
            self?.replace(with: (try? result.get())?.first?.dictionary ?? [:])
        }
    }

    /// Handles `PropertiesChanged`: an interface, new values, and names of properties whose values are not sent.
    private func handleChange(_ arguments: [BusValue]) {
        guard arguments.count == 3, let changes = arguments[1].dictionary else { return }
        replace(with: values.merging(changes) { _, new in new })
        let hasUnsentValues = arguments[2].elements?.contains { names.contains($0.text ?? "") } ?? false
        // A call that cannot be sent means that the connection is lost, which its owner notices.
        if hasUnsentValues { try? request() }
    }

    /// Handles a start or an end of the service.
    private func handleOwner(_ owner: String) {
        if owner.isEmpty { replace(with: [:]) } else { try? request() }
    }

    private func replace(with all: [String: BusValue]) {
        let new = all.filter { names.contains($0.key) }.mapValues(\.unwrapped)
        guard new != values || !isRead else { return }
        (values, isRead) = (new, true)
        onChange()
    }
}
