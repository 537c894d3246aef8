/// One interface of an object: what can be called, read, set and heard.
package struct BusInterface {
    package struct Argument {
        package let name: String
        package let type: String
        package init(_ name: String, _ type: String) { (self.name, self.type) = (name, type) }
    }

    package struct Method {
        let name: String
        let arguments: [Argument]
        let results: [Argument]
        let perform: ([BusValue]) throws(BusError) -> [BusValue]

        /// - Parameter perform: is given exactly the types that `arguments` says.
        package init(
            _ name: String, _ arguments: [Argument] = [], results: [Argument] = [],
            _ perform: @escaping ([BusValue]) throws(BusError) -> [BusValue]
        ) { (self.name, self.arguments, self.results, self.perform) = (name, arguments, results, perform) }
    }

    package struct Property {
        let name: String
        let type: String
        let announces: Bool
        let read: () -> BusValue
        let write: ((BusValue) throws(BusError) -> Void)?

        /// - Parameters:
        ///   - announces: whether its changes are told of.
        ///   - write: is given a value of this type; nil: it can only be read.
        package init(
            _ name: String, _ type: String, announces: Bool = true, _ read: @escaping () -> BusValue, write: ((BusValue) throws(BusError) -> Void)? = nil
        ) { (self.name, self.type, self.announces, self.read, self.write) = (name, type, announces, read, write) }
    }

    package struct Signal {
        let name: String
        let arguments: [Argument]
        package init(_ name: String, _ arguments: [Argument]) { (self.name, self.arguments) = (name, arguments) }
    }

    package let name: String
    let methods: [Method]
    let properties: [Property]
    let signals: [Signal]

    package init(_ name: String, methods: [Method] = [], properties: [Property] = [], signals: [Signal] = []) {
        (self.name, self.methods, self.properties, self.signals) = (name, methods, properties, signals)
    }

    /// As `Introspect` has it. All names and types are our own: nothing in them needs escaping.
    var description: String {
        func list(_ arguments: [Argument], _ direction: String) -> String {
            arguments.map { "<arg name=\"\($0.name)\" type=\"\($0.type)\"\(direction)/>" }.joined()
        }
        let methods = methods.map { "<method name=\"\($0.name)\">\(list($0.arguments, " direction=\"in\""))\(list($0.results, " direction=\"out\""))</method>" }
        let properties = properties.map { property in
            let mark = "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"\(property.announces)\"/>"
            return "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(property.write == nil ? "read" : "readwrite")\">\(mark)</property>"
        }
        let signals = signals.map { "<signal name=\"\($0.name)\">\(list($0.arguments, ""))</signal>" }
        return "<interface name=\"\(name)\">\((methods + properties + signals).joined())</interface>"
    }

    static let standard = """
        <interface name="org.freedesktop.DBus.Introspectable"><method name="Introspect"><arg type="s" direction="out"/></method></interface>\
        <interface name="org.freedesktop.DBus.Properties">\
        <method name="Get"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>\
        <method name="GetAll"><arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method>\
        <method name="Set"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/></method>\
        <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal></interface>
        """
}
