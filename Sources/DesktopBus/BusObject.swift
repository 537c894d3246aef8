/// What other programs find at a path of ours: interfaces with methods, properties and signals. Called on the thread of the connection.
///
/// The standard interfaces for properties and for looking around come by themselves.
package final class BusObject {
    let interfaces: [BusInterface]

    package init(_ interfaces: [BusInterface]) { self.interfaces = interfaces }

    /// nil: not ours to answer.
    func answer(_ message: BusMessage) -> Result<[BusValue], BusError>? {
        guard let member = message.member else { return nil }
        do throws(BusError) {
            switch (message.interface, member, message.signature) {
            case ("org.freedesktop.DBus.Introspectable", "Introspect", ""): return .success([.string(description)])
            case ("org.freedesktop.DBus.Properties", "Get", "ss"):
                let values = try message.values()
                let property = try find(property: values[1], of: values[0])
                return .success([.variant(property.read())])
            case ("org.freedesktop.DBus.Properties", "GetAll", "s"):
                let interface = try find(interface: try message.values()[0])
                return .success([.dictionary(Dictionary(interface.properties.map { ($0.name, $0.read()) }) { first, _ in first })])
            case ("org.freedesktop.DBus.Properties", "Set", "ssv"):
                let values = try message.values()
                let property = try find(property: values[1], of: values[0]), value = values[2].unwrapped
                guard let write = property.write else { throw BusError(BusError.readOnly, "\(property.name) can only be read") }
                guard value.typeSignature == property.type else { throw BusError(BusError.invalidArguments, "\(property.name) is of type \(property.type)") }
                try write(value)
                return .success([])
            default: return .success(try call(member, message))
            }
        } catch { return .failure(error) }
    }

    private func call(_ member: String, _ message: BusMessage) throws(BusError) -> [BusValue] {
        // A call may leave the interface out.
        let candidates = message.interface.map { name in interfaces.filter { $0.name == name } } ?? interfaces
        guard let method = candidates.flatMap(\.methods).first(where: { $0.name == member }) else {
            throw BusError(BusError.unknownMethod, "there is no method \(member)")
        }
        let wanted = method.arguments.map(\.type).joined()
        guard message.signature == wanted else { throw BusError(BusError.invalidArguments, "\(member) takes '\(wanted)'") }
        return try method.perform(try message.values())
    }

    private func find(interface name: BusValue) throws(BusError) -> BusInterface {
        guard let interface = interfaces.first(where: { $0.name == name.text }) else {
            throw BusError(BusError.unknownInterface, "there is no interface \(name.text ?? "")")
        }
        return interface
    }

    private func find(property name: BusValue, of interface: BusValue) throws(BusError) -> BusInterface.Property {
        guard let property = try find(interface: interface).properties.first(where: { $0.name == name.text }) else {
            throw BusError(BusError.unknownProperty, "there is no property \(name.text ?? "")")
        }
        return property
    }

    /// As `Introspect` gives it.
    private var description: String {
        let own = interfaces.map(\.description).joined()
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>\(own)\(BusInterface.standard)</node>

            """
    }
}
