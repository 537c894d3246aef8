/// One D-Bus interface of an object: its methods, properties and signals.
package struct BusInterface {
    /// An argument or a result of a method, or a value of a signal.
    package struct Argument {
        /// The name of the argument that introspection shows.
        package let name: String
        /// The D-Bus type signature of the argument, such as `s` for a string.
        package let type: String
        package init(_ name: String, _ type: String) { (self.name, self.type) = (name, type) }
    }

    /// A method that other programs can call.
    package struct Method {
        /// The D-Bus name of the method.
        let name: String
        /// The names and types of the method's arguments.
        let arguments: [Argument]
        /// The names and types of the values in the method's reply.
        let results: [Argument]
        /// The implementation of the method. If it throws an error, the caller receives that error as the reply.
        let perform: ([BusValue]) throws(BusError) -> [BusValue]

        /// Creates a method.
        ///
        /// - Parameter perform: The implementation. It receives values of the types that `arguments` declares.
        package init(
            _ name: String, _ arguments: [Argument] = [], results: [Argument] = [],
            _ perform: @escaping ([BusValue]) throws(BusError) -> [BusValue]
        ) { (self.name, self.arguments, self.results, self.perform) = (name, arguments, results, perform) }
    }

    /// A property that other programs can read and perhaps set.
    package struct Property {
        /// The D-Bus name of the property.
        let name: String
        /// The D-Bus type signature of the value.
        let type: String
        /// Whether introspection declares that the signal `PropertiesChanged` reports each change. The owner of the
        /// object must emit that signal.
        let emitsChanges: Bool
        /// The getter, which returns the current value of the property.
        let getter: () -> BusValue
        /// The setter; nil for a read-only property.
        let setter: ((BusValue) throws(BusError) -> Void)?

        /// Creates a property.
        ///
        /// - Parameters:
        ///   - emitsChanges: Whether each change of the property is signalled with `PropertiesChanged`.
        ///   - setter: The setter, called with a value of the property's type; nil for a read-only property.
        package init(
            _ name: String, _ type: String, emitsChanges: Bool = true, _ getter: @escaping () -> BusValue,
            setter: ((BusValue) throws(BusError) -> Void)? = nil
        ) {
            (self.name, self.type, self.emitsChanges, self.getter, self.setter) = (
                name, type, emitsChanges, getter, setter
            )
        }
    }

    /// A D-Bus signal that an exported object may emit.
    package struct Signal {
        /// The D-Bus name of the signal.
        let name: String
        /// The names and types of the values that the signal carries.
        let arguments: [Argument]
        package init(_ name: String, _ arguments: [Argument]) { (self.name, self.arguments) = (name, arguments) }
    }

    /// The D-Bus name of the interface, such as `org.mpris.MediaPlayer2`.
    package let name: String
    let methods: [Method]
    let properties: [Property]
    let signals: [Signal]

    package init(_ name: String, methods: [Method] = [], properties: [Property] = [], signals: [Signal] = []) {
        (self.name, self.methods, self.properties, self.signals) = (name, methods, properties, signals)
    }
}
