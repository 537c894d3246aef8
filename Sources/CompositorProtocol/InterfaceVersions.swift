import WireFormat

/// A group of messages with its own version, like a global of Wayland's `wl_registry`.
package enum ProtocolInterface: UInt8, CaseIterable, Sendable {
    /// The messages about Picture-in-Picture sessions.
    case windows = 1
    /// The messages about audio sessions.
    case audio = 2
    /// The messages about system-wide conditions.
    case system = 3
    /// The messages about the roles of programs and the memory pressure.
    case programs = 4

    /// The version of the interface that this build supports. Each new message or field increases the version by one.
    package var currentVersion: UInt16 {
        switch self {
        case .programs, .windows: 3
        case .system: 5
        case .audio: 1
        }
    }
}

/// The interface versions that a process supports, or that two processes have in common. A pure value.
package struct InterfaceVersions: Equatable, Sendable {
    /// The maximum number of interfaces that one message may list.
    package static let limit = 64

    /// The version of each interface, by interface number. A newer process may list interfaces that this build does not
    /// know.
    private var versions: [UInt8: UInt16]

    /// Creates a set of versions from a dictionary with the interface numbers as keys.
    package init(_ versions: [UInt8: UInt16] = [:]) { self.versions = versions }

    /// The versions of all interfaces that this build supports.
    package static let supported = InterfaceVersions(
        Dictionary(uniqueKeysWithValues: ProtocolInterface.allCases.map { ($0.rawValue, $0.currentVersion) }))

    /// The version of an interface; 0 if it is not supported.
    package subscript(interface: ProtocolInterface) -> UInt16 { versions[interface.rawValue, default: 0] }

    /// Returns whether this set has an interface, or a version of an interface, that `other` lacks.
    package func isNewer(than other: InterfaceVersions) -> Bool {
        versions.contains { $0.value > other.versions[$0.key, default: 0] }
    }

    /// Returns the interfaces that both processes support, each with the lower of the two processes' versions.
    package func common(with other: InterfaceVersions) -> InterfaceVersions {
        InterfaceVersions(
            versions.merging(other.versions) { min($0, $1) }.filter { number, version in
                version > 0 && versions[number] != nil && other.versions[number] != nil
            })
    }
}

extension InterfaceVersions {
    /// Appends the versions in ascending order of their interface numbers.
    func write(to writer: inout MessageWriter) {
        writer.write(UInt8(clamping: versions.count))
        for (number, version) in versions.sorted(by: { $0.key < $1.key }) {
            writer.write(number)
            writer.write(version)
        }
    }

    /// Reads versions; rejects interface numbers that are not in ascending order or occur twice.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        let interfaceCount = Int(try reader.read(UInt8.self))
        guard interfaceCount <= Self.limit else { throw MalformedMessage("too many interfaces") }
        var versions: [UInt8: UInt16] = [:], previousNumber: UInt8?
        for _ in 0..<interfaceCount {
            let number = try reader.read(UInt8.self)
            if let previousNumber, number <= previousNumber {
                throw MalformedMessage("interfaces that are not in order")
            }
            previousNumber = number
            versions[number] = try reader.read(UInt16.self)
        }
        self.init(versions)
    }
}
