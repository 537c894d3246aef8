import WireFormat

/// A group of messages with a version of its own, like a global of Wayland's `wl_registry`.
package enum ProtocolInterface: UInt8, CaseIterable, Sendable {
    /// Pictures that float.
    case windows = 1
    /// Audio sessions.
    case audio = 2
    /// What happens to the whole machine.
    case system = 3

    /// The version that this build speaks. A new message or field raises it by one.
    package var current: UInt16 {
        switch self {
        case .windows, .audio, .system: 1
        }
    }
}

/// The versions of interfaces that a process speaks, or that two processes have in common. A pure value.
package struct InterfaceVersions: Equatable, Sendable {
    /// Interfaces in one message; more are malformed.
    package static let limit = 64

    /// By number, since a newer process names interfaces that this one does not know.
    private var versions: [UInt8: UInt16]

    package init(_ versions: [UInt8: UInt16] = [:]) { self.versions = versions }

    /// What this build speaks.
    package static let own = InterfaceVersions(
        Dictionary(uniqueKeysWithValues: ProtocolInterface.allCases.map { ($0.rawValue, $0.current) }))

    /// The version of an interface; 0: it is not spoken.
    package subscript(interface: ProtocolInterface) -> UInt16 { versions[interface.rawValue, default: 0] }

    /// Whether there is an interface, or a version of one, that `other` has not.
    package func exceeds(_ other: InterfaceVersions) -> Bool {
        versions.contains { $0.value > other.versions[$0.key, default: 0] }
    }

    /// What both processes speak: of each interface that both know the lower version.
    package func common(with other: InterfaceVersions) -> InterfaceVersions {
        InterfaceVersions(
            versions.merging(other.versions) { min($0, $1) }.filter { number, version in
                version > 0 && versions[number] != nil && other.versions[number] != nil
            })
    }
}

extension InterfaceVersions {
    func write(to w: inout MessageWriter) {
        w.write(UInt8(clamping: versions.count))
        for (number, version) in versions.sorted(by: { $0.key < $1.key }) {
            w.write(number)
            w.write(version)
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        let count = Int(try r.read(UInt8.self))
        guard count <= Self.limit else { throw MalformedMessage("too many interfaces") }
        var versions: [UInt8: UInt16] = [:], last: UInt8?
        for _ in 0..<count {
            let number = try r.read(UInt8.self)
            if let last, number <= last { throw MalformedMessage("interfaces that are not in order") }
            last = number
            versions[number] = try r.read(UInt16.self)
        }
        self.init(versions)
    }
}
