import CSystemd

/// Conversion between ``BusValue`` and the values of sd-bus messages.
extension BusMessage {
    /// The maximum number of values that are read from one message. Other programs can send more.
    private static let valueLimit = 65_536
    /// The maximum nesting depth of the values that are read from one message.
    private static let depthLimit = 32

    // MARK: Writing

    /// Appends values to a message that is being built.
    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try append(value) }
    }

    /// Appends one value, with its nested values.
    private func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let number): try append("y", number)
        // sd-bus represents a boolean as a C `int`.
        case .bool(let boolean): try append("b", Int32(boolean ? 1 : 0))
        case .int16(let number): try append("n", number)
        case .uint16(let number): try append("q", number)
        case .int32(let number): try append("i", number)
        case .uint32(let number): try append("u", number)
        case .int64(let number): try append("x", number)
        case .uint64(let number): try append("t", number)
        case .double(let number): try append("d", number)
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

    /// Appends a container of `values`.
    ///
    /// - Parameter elementTypes: The type signature of the values inside the container.
    private func appendContainer(
        _ type: Unicode.Scalar, _ elementTypes: String, _ values: [BusValue]
    ) throws(BusError) {
        try busCall(
            "sd_bus_message_open_container", sd_bus_message_open_container(pointer, Self.type(type), elementTypes))
        try append(values)
        try busCall("sd_bus_message_close_container", sd_bus_message_close_container(pointer))
    }

    /// Returns a D-Bus type letter as the C character that sd-bus expects.
    private static func type(_ typeLetter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: typeLetter.value) }

    // MARK: Reading

    /// Returns all values of the message.
    ///
    /// - Throws: ``BusError`` if the message exceeds the limits or contains file descriptors, which are not supported.
    func values() throws(BusError) -> [BusValue] {
        var valuesLeft = Self.valueLimit
        return try remainingValues(&valuesLeft, depth: 0)
    }

    /// Reads the values of the current container up to its end.
    ///
    /// - Parameter valuesLeft: The number of values that may still be read from the message. Each value that this
    ///   method reads decreases the number by 1.
    private func remainingValues(_ valuesLeft: inout Int, depth: Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try nextValue(&valuesLeft, depth) { values.append(value) }
        return values
    }

    /// Reads the next value; returns nil at the end of a container or of the message.
    private func nextValue(_ valuesLeft: inout Int, _ depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var characters: UnsafePointer<CChar>?
        guard try busCall("sd_bus_message_peek_type", sd_bus_message_peek_type(pointer, &type, &characters)) > 0 else {
            return nil
        }
        valuesLeft -= 1
        guard valuesLeft >= 0, depth < Self.depthLimit else {
            throw BusError(BusError.limitsExceeded, "a message has too many or too deeply nested values")
        }
        let elementTypes = characters.map { String(cString: $0) } ?? ""
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
        case "a" where elementTypes == "y": return .bytes(try bytes())
        case "a" where elementTypes == "{sv}":
            return .dictionary(try dictionaryEntries(elementTypes, &valuesLeft, depth))
        case "a": return .array(of: elementTypes, try containerValues(type, elementTypes, &valuesLeft, depth))
        case "e":
            let keyAndValue = try containerValues(type, elementTypes, &valuesLeft, depth)
            guard keyAndValue.count == 2 else { break }
            return .entry(keyAndValue[0], keyAndValue[1])
        case "r": return .structure(try containerValues(type, elementTypes, &valuesLeft, depth))
        case "v":
            if let value = try containerValues(type, elementTypes, &valuesLeft, depth).first { return .variant(value) }
        default: break
        }
        throw BusError(BusError.invalidArguments, "a message has a value of an unsupported type")
    }

    /// Enters a container, reads its values and leaves it.
    private func containerValues(
        _ type: CChar, _ elementTypes: String, _ valuesLeft: inout Int, _ depth: Int
    ) throws(BusError) -> [BusValue] {
        try busCall("sd_bus_message_enter_container", sd_bus_message_enter_container(pointer, type, elementTypes))
        let values = try remainingValues(&valuesLeft, depth: depth + 1)
        try busCall("sd_bus_message_exit_container", sd_bus_message_exit_container(pointer))
        return values
    }

    /// Reads an `a{sv}` dictionary, without the variants around its values.
    private func dictionaryEntries(_ elementTypes: String, _ valuesLeft: inout Int, _ depth: Int) throws(BusError)
        -> [String: BusValue]
    {
        var entries: [String: BusValue] = [:]
        for entry in try containerValues(Self.type("a"), elementTypes, &valuesLeft, depth) {
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
