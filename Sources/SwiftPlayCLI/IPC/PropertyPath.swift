/// Reads a part of a JSON value by a path, such as `0/filename` in the value of the property `playlist`.
enum PropertyPath {
    /// Returns the part of `value` at `path`, whose components are the texts between slashes.
    ///
    /// In a list, a component is an index from 0 or `count`, the number of elements. In an object, a component is a
    /// key. An empty path returns the whole value.
    ///
    /// - Throws: ``IPCError/propertyNotFound`` if no such part exists, ``IPCError/propertyError`` if `value` has no
    ///   parts.
    static func value(at path: ArraySlice<String>, in value: JSONValue) throws(IPCError) -> JSONValue {
        guard let component = path.first else { return value }
        let remainingPath = path.dropFirst()
        switch value {
        case .array(let elements):
            if component == "count", remainingPath.isEmpty { return .int(Int64(elements.count)) }
            guard let index = Int(component), elements.indices.contains(index) else { throw .propertyNotFound }
            return try Self.value(at: remainingPath, in: elements[index])
        case .object(let members):
            guard let member = members[component] else { throw .propertyNotFound }
            return try Self.value(at: remainingPath, in: member)
        default: throw .propertyError
        }
    }

    /// Returns the part of a list of tags at `path`, as in mpv's property `metadata`: `by-key/title` or `title`,
    /// `list/count`, `list/0/key` or `list/0/value`. Keys are compared without regard to case. An empty path returns an
    /// object with all tags.
    ///
    /// - Throws: ``IPCError/propertyNotFound`` if no such tag exists.
    static func tagValue(at path: ArraySlice<String>, in tags: [(key: String, value: String)]) throws(IPCError)
        -> JSONValue
    {
        switch path.first {
        case nil: return .object(Dictionary(tags.map { ($0.key, .string($0.value)) }, uniquingKeysWith: { a, _ in a }))
        case "list":
            let list = tags.map { JSONValue.object(["key": .string($0.key), "value": .string($0.value)]) }
            return try value(at: path.dropFirst(), in: .array(list))
        case "by-key" where path.count > 1: return try tag(path.dropFirst(), tags)
        default: return try tag(path, tags)
        }
    }

    /// Returns the value of the tag whose key is the text of `path`. A key may contain slashes.
    private static func tag(_ path: ArraySlice<String>, _ tags: [(key: String, value: String)]) throws(IPCError)
        -> JSONValue
    {
        let key = path.joined(separator: "/").lowercased()
        guard let tag = tags.first(where: { $0.key.lowercased() == key }) else { throw .propertyNotFound }
        return .string(tag.value)
    }
}
