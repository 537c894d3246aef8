import StreamPlaylists

/// An element of an XML document. A pure value.
struct XMLElement: Sendable, Equatable {
    /// The name without its namespace prefix.
    let name: String
    /// The values of the attributes, by attribute name including the namespace prefix.
    var attributes: [String: String] = [:]
    /// The child elements in the order of the document.
    var children: [XMLElement] = []
    /// The text of the element without the text of its children, and without white space at its start and end.
    var text = ""
    /// The number of the line in which the element begins, counted from 1.
    let line: Int

    /// Returns the first child with a name; nil if there is none.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Returns all children with a name.
    func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// Returns this element with the attributes of `outer` that it lacks, and with the children of `outer` whose names
    /// it lacks.
    func inheriting(from outer: XMLElement) -> XMLElement {
        var result = self
        result.attributes.merge(outer.attributes) { own, _ in own }
        let names = Set(children.map(\.name))
        result.children += outer.children.filter { !names.contains($0.name) }
        return result
    }
}

// MARK: Values of attributes

extension XMLElement {
    /// Returns the value of an attribute; nil if the attribute is missing.
    subscript(name: String) -> String? { attributes[name] }

    /// Returns the error that this element lacks an attribute or child.
    func missingValueError(_ name: String) -> ManifestError {
        ManifestError(.missingValue(element: self.name, name: name), line: line)
    }

    /// Returns the error that an attribute of this element has an invalid value.
    func invalidValueError(_ name: String) -> ManifestError {
        ManifestError(.invalidValue(element: self.name, name: name, text: self[name] ?? ""), line: line)
    }

    /// Reads an integer of at least 0; nil if the attribute is missing.
    func integer(_ name: String) throws(ManifestError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), (0...Self.largestInteger).contains(value) else { throw invalidValueError(name) }
        return value
    }

    /// Reads a duration in nanoseconds; nil if the attribute is missing.
    func duration(_ name: String) throws(ManifestError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let value = ISO8601Duration.nanoseconds(text), value <= PlaylistLimits.duration else {
            throw invalidValueError(name)
        }
        return value
    }

    /// Reads a date in nanoseconds since 1970; nil if the attribute is missing.
    func date(_ name: String) throws(ManifestError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let value = ISO8601Date.nanoseconds(text.utf8) else { throw invalidValueError(name) }
        return value
    }

    /// Reads a byte range such as `0-499`, whose end is included; nil if the attribute is missing.
    func range(_ name: String) throws(ManifestError) -> ByteRange? {
        guard let text = self[name] else { return nil }
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard bounds.count == 2, let firstByte = bounds[0], let lastByte = bounds[1], firstByte >= 0,
            lastByte >= firstByte,
            lastByte <= Self.largestInteger,
            let range = ByteRange(offset: firstByte, length: lastByte - firstByte + 1)
        else { throw invalidValueError(name) }
        return range
    }

    /// The largest accepted integer; sums and differences of two such integers cannot overflow.
    static let largestInteger = Int.max / 4
}
