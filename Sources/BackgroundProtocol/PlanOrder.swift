import WireFormat

/// An order of the ledger to read a playlist of a package, and to write the playlist of the local copy.
package struct PlanOrder: Equatable, Sendable {
    /// The maximum length of the name of a local file, in bytes.
    package static let nameBytes = 64

    /// The number of the run, from the same numbers as those of ``TransferOrder``.
    package var transfer: UInt64
    /// The address from which the playlist came, after all redirects.
    package var address: String
    /// The start of the names of the resources; nil for the playlist whose address the user or the program has chosen,
    /// which may list variants.
    package var prefix: String?
    /// Whether the segments count for the progress. Of several playlists that are played together, one is.
    package var isMain: Bool
    /// The parts of the stream.
    package var preferences: StreamPreferences

    /// Creates an order.
    package init(
        transfer: UInt64, address: String, prefix: String?, isMain: Bool, preferences: StreamPreferences
    ) {
        (self.transfer, self.address, self.prefix) = (transfer, address, prefix)
        (self.isMain, self.preferences) = (isMain, preferences)
    }

    /// The fault of the order; nil if it can be sent.
    package var fault: String? {
        if let prefix, !PlannedResource.isValidName(prefix) { return "the start of the names is not valid" }
        return TransferRequest(address: address).fault ?? preferences.fault
    }

    /// Appends the order to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(transfer)
        writer.writeText(address)
        writer.writeOptional(prefix) { $0.writeText($1) }
        writer.write(isMain)
        preferences.write(to: &writer)
    }

    /// Reads an order; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            transfer: try reader.read(), address: try reader.readText(limit: EngineLimits.addressBytes),
            prefix: try reader.readOptional { reader throws(MalformedMessage) in
                try reader.readText(limit: PlanOrder.nameBytes)
            }, isMain: try reader.read(), preferences: try StreamPreferences(from: &reader))
        if let fault { throw MalformedMessage(fault) }
    }
}

/// A resource to which a playlist of a package refers.
package struct PlannedResource: Equatable, Sendable {
    /// The most resources in one message.
    package static let messageLimit = 256
    /// The latest start and the longest duration, in nanoseconds, so that sums cannot overflow: about 73 years.
    package static let timeLimit = Int64.max / 4

    /// Whether the resource is a playlist, which needs a plan of its own.
    package var isPlaylist: Bool
    /// The address.
    package var address: String
    /// The name of the local file: lower-case letters, digits and hyphens, with at most one suffix.
    package var name: String
    /// The time in the stream at which the resource is needed, and the duration that it adds to the progress, in
    /// nanoseconds.
    package var start: Int64, duration: Int64

    /// Creates a resource.
    package init(isPlaylist: Bool, address: String, name: String, start: Int64 = 0, duration: Int64 = 0) {
        (self.isPlaylist, self.address, self.name) = (isPlaylist, address, name)
        (self.start, self.duration) = (start, duration)
    }

    /// Returns whether a text can name a local file of a package.
    package static func isValidName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isPlain = { (byte: UInt8) in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        return name.utf8.count <= PlanOrder.nameBytes && (1...2).contains(parts.count)
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isPlain) } && name.utf8.first != UInt8(ascii: "-")
    }

    /// The fault of the resource; nil if it is valid.
    package var fault: String? {
        if !Self.isValidName(name) { return "the name of a resource is not valid" }
        if !(0...Self.timeLimit).contains(start) || !(0...Self.timeLimit).contains(duration) {
            return "the time of a resource is out of range"
        }
        return TransferRequest(address: address).fault
    }

    /// Appends the resource to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(isPlaylist)
        writer.writeText(address)
        writer.writeText(name)
        writer.write(start)
        writer.write(duration)
    }

    /// Reads a resource; rejects an invalid one.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(
            isPlaylist: try reader.read(), address: try reader.readText(limit: EngineLimits.addressBytes),
            name: try reader.readText(limit: PlanOrder.nameBytes), start: try reader.read(),
            duration: try reader.read())
        if let fault { throw MalformedMessage(fault) }
    }
}
