/// The values that clients store under `user-data/`, for other clients to read.
struct UserData: Sendable {
    /// The largest size of all values as JSON, in bytes.
    static let byteLimit = 1 << 20
    /// The largest number of components of a path.
    static let depthLimit = 16

    /// The object that contains all values.
    private(set) var root = JSONValue.object([:])

    /// Returns the value at a path: see ``PropertyPath/value(at:in:)``.
    func value(at path: ArraySlice<String>) throws(IPCError) -> JSONValue {
        try PropertyPath.value(at: path, in: root)
    }

    /// Stores a value at a path. Creates missing objects on the way.
    ///
    /// - Throws: ``IPCError/propertyError`` for an empty path with a value that is not an object, and for a path that
    ///   is too long or leads through a value that is not an object. ``IPCError/outOfMemory`` if the values would
    ///   become too large.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) throws(IPCError) {
        guard path.count <= Self.depthLimit else { throw .propertyError }
        let newRoot = try Self.replacing(path, in: root, with: value)
        guard case .object = newRoot else { throw .propertyError }
        var bytes: [UInt8] = []
        newRoot.encode(into: &bytes)
        guard bytes.count <= Self.byteLimit else { throw .outOfMemory }
        root = newRoot
    }

    /// Removes the value at a path; an empty path removes all values.
    ///
    /// - Throws: ``IPCError/propertyNotFound`` if there is no such value.
    mutating func remove(at path: ArraySlice<String>) throws(IPCError) {
        _ = try value(at: path)
        root = path.isEmpty ? .object([:]) : try Self.replacing(path, in: root, with: nil)
    }

    /// Returns `value` with the part at `path` replaced by `part`; nil removes the part.
    private static func replacing(_ path: ArraySlice<String>, in value: JSONValue, with part: JSONValue?)
        throws(IPCError) -> JSONValue
    {
        guard let key = path.first else { return part ?? .null }
        guard case .object(var members) = value, !key.isEmpty else { throw .propertyError }
        if path.count == 1 {
            members[key] = part
        } else {
            members[key] = try replacing(path.dropFirst(), in: members[key] ?? .object([:]), with: part)
        }
        return .object(members)
    }
}
