import CSystemd

/// Conversion between ``BusValue`` and the values of sd-bus messages.
extension BusMessage {
    /// The largest number of values in one message: other programs can send messages of any size.
    private static let valueLimit = 65_536
    /// The deepest nesting of values in one message.
    private static let depthLimit = 32

    // MARK: Writing

    /// Appends values to a message that is being built.
    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try append(value) }
    }

    /// Appends one value, with its nested values.
    private func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let n): try append("y", n)
        // sd-bus represents a boolean as a C `int`.
        case .bool(let boolean): try append("b", Int32(boolean ? 1 : 0))
        case .int16(let n): try append("n", n)
        case .uint16(let n): try append("q", n)
        case .int32(let n): try append("i", n)
        case .uint32(let n): try append("u", n)
        case .int64(let n): try append("x", n)
        case .uint64(let n): try append("t", n)
        case .double(let n): try append("d", n)
        case .string(let text): try append("s", text)
        case .objectPath(let text): try append("o", text)
        case .signature(let text): try append("g", text)
        case .bytes(let bytes):
            try busCall(
                "sd_bus_message_append_array",
                bytes.withUnsafeBytes { sd_bus_message_append_array(pointer, Self.type("y"), $0.baseAddress, $0.count) }
            )
        case .array(let element, let elements): try appendContainer("a", element, elements)
        case .dictionary(let entries):
            // Sorted by key, so that equal dictionaries are encoded identically.
            try appendContainer(
                "a", "{sv}", entries.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
        case .entry(let key, let value):
            try appendContainer("e", key.typeSignature + value.typeSignature, [key, value])
        case .structure(let members): try appendContainer("r", members.map(\.typeSignature).joined(), members)
        case .variant(let inner): try appendContainer("v", inner.typeSignature, [inner])
        }
    }

    /// Appends a number of the basic type `type`.
    private func append(_ type: Unicode.Scalar, _ number: some BitwiseCopyable) throws(BusError) {
        try busCall(
            "sd_bus_message_append_basic",
            withUnsafeBytes(of: number) { sd_bus_message_append_basic(pointer, Self.type(type), $0.baseAddress) })
    }

    /// Appends a text of the basic type `type`.
    private func append(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
        try busCall(
            "sd_bus_message_append_basic",
            text.withCString { sd_bus_message_append_basic(pointer, Self.type(type), $0) })
    }

    /// Appends a container of `values`; `contents` is the type signature inside the container.
    private func appendContainer(_ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]) throws(BusError) {
        try busCall("sd_bus_message_open_container", sd_bus_message_open_container(pointer, Self.type(type), contents))
        try append(values)
        try busCall("sd_bus_message_close_container", sd_bus_message_close_container(pointer))
    }

    /// Returns a D-Bus type letter as the C character that sd-bus expects.
    private static func type(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

    // MARK: Reading

    /// Returns all values of the message.
    ///
    /// - Throws: ``BusError`` if the message exceeds the limits or contains file descriptors, which are not supported.
    func values() throws(BusError) -> [BusValue] {
        var budget = Self.valueLimit
        return try remainingValues(&budget, depth: 0)
    }

    /// Reads all remaining values of the current container. Each value decreases `budget`, the number of values that
    /// may still be read, by 1.
    private func remainingValues(_ budget: inout Int, depth: Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try nextValue(&budget, depth) { values.append(value) }
        return values
    }

    /// Reads the next value; returns nil at the end of a container or of the message.
    private func nextValue(_ budget: inout Int, _ depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var characters: UnsafePointer<CChar>?
        guard try busCall("sd_bus_message_peek_type", sd_bus_message_peek_type(pointer, &type, &characters)) > 0 else {
            return nil
        }
        budget -= 1
        guard budget >= 0, depth < Self.depthLimit else {
            throw BusError(BusError.limitsExceeded, "a message has too many or too deeply nested values")
        }
        let contents = characters.map { String(cString: $0) } ?? ""
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": return .byte(try number(type))
        case "b": return .bool(try number(type, Int32.self) != 0)
        case "n": return .int16(try number(type))
        case "q": return .uint16(try number(type))
        case "i": return .int32(try number(type))
        case "u": return .uint32(try number(type))
        case "x": return .int64(try number(type))
        case "t": return .uint64(try number(type))
        case "d": return .double(Double(bitPattern: try number(type)))
        case "s": return .string(try text(type))
        case "o": return .objectPath(try text(type))
        case "g": return .signature(try text(type))
        case "a" where contents == "y": return .bytes(try bytes())
        case "a" where contents == "{sv}": return .dictionary(try dictionaryEntries(contents, &budget, depth))
        case "a": return .array(of: contents, try containerValues(type, contents, &budget, depth))
        case "e":
            let pair = try containerValues(type, contents, &budget, depth)
            guard pair.count == 2 else { break }
            return .entry(pair[0], pair[1])
        case "r": return .structure(try containerValues(type, contents, &budget, depth))
        case "v": if let value = try containerValues(type, contents, &budget, depth).first { return .variant(value) }
        default: break
        }
        throw BusError(BusError.invalidArguments, "a message has a value of an unsupported type")
    }

    /// Enters a container, reads its values and leaves it.
    private func containerValues(_ type: CChar, _ contents: String, _ budget: inout Int, _ depth: Int) throws(BusError)
        -> [BusValue]
    {
        try busCall("sd_bus_message_enter_container", sd_bus_message_enter_container(pointer, type, contents))
        let values = try remainingValues(&budget, depth: depth + 1)
        try busCall("sd_bus_message_exit_container", sd_bus_message_exit_container(pointer))
        return values
    }

    /// Reads an `a{sv}` dictionary, without the variants around its values.
    private func dictionaryEntries(_ contents: String, _ budget: inout Int, _ depth: Int) throws(BusError)
        -> [String: BusValue]
    {
        var entries: [String: BusValue] = [:]
        for entry in try containerValues(Self.type("a"), contents, &budget, depth) {
            if case .entry(.string(let name), .variant(let value)) = entry { entries[name] = value }
        }
        return entries
    }

    /// Reads a number of the basic type `type`.
    private func number<Number: FixedWidthInteger>(_ type: CChar, _: Number.Type = Number.self) throws(BusError)
        -> Number
    {
        var number: Number = 0
        try busCall("sd_bus_message_read_basic", sd_bus_message_read_basic(pointer, type, &number))
        return number
    }

    /// Reads a text of the basic type `type`.
    private func text(_ type: CChar) throws(BusError) -> String {
        var characters: UnsafePointer<CChar>?
        try busCall("sd_bus_message_read_basic", sd_bus_message_read_basic(pointer, type, &characters))
        return characters.map { String(cString: $0) } ?? ""
    }

    /// Reads an array of bytes.
    private func bytes() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var size = 0
        try busCall("sd_bus_message_read_array", sd_bus_message_read_array(pointer, Self.type("y"), &start, &size))
        return start.map { Array(UnsafeRawBufferPointer(start: $0, count: size)) } ?? []
    }
}
