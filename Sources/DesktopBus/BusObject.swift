/// A D-Bus object that this program exports at a path: its interfaces with methods, properties and signals. All
/// handlers run on the connection's thread.
///
/// sd-bus adds the standard interfaces for properties, introspection and pings.
package final class BusObject {
    /// The interfaces that the object implements.
    let interfaces: [BusInterface]

    package init(_ interfaces: [BusInterface]) { self.interfaces = interfaces }
}
