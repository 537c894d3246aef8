/// One D-Bus interface of an object: its methods, properties and signals.
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

        /// - Parameter perform: The implementation. Its arguments always have the types that `arguments` declares.
        package init(
            _ name: String, _ arguments: [Argument] = [], results: [Argument] = [],
            _ perform: @escaping ([BusValue]) throws(BusError) -> [BusValue]
        ) { (self.name, self.arguments, self.results, self.perform) = (name, arguments, results, perform) }
    }

    package struct Property {
        let name: String
        let type: String
        /// Whether introspection declares that changes are signalled.
        let announces: Bool
        let read: () -> BusValue
        let write: ((BusValue) throws(BusError) -> Void)?

        /// - Parameters:
        ///   - announces: Whether changes are signalled.
        ///   - write: The setter, called with a value of this type; nil for a read-only property.
        package init(
            _ name: String, _ type: String, announces: Bool = true, _ read: @escaping () -> BusValue,
            write: ((BusValue) throws(BusError) -> Void)? = nil
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
}
