/// An object that other programs find at a path: interfaces with methods, properties and signals. Called on the
/// connection's thread.
///
/// sd-bus adds the standard interfaces for properties, introspection and pings.
package final class BusObject {
    let interfaces: [BusInterface]

    package init(_ interfaces: [BusInterface]) { self.interfaces = interfaces }
}
