/// All properties of the JSON IPC, and the access to them by name.
enum PropertyTable {
    private static let all: [PlayerProperty] =
        PlayerProperty.playback + PlayerProperty.files + PlayerProperty.stream + PlayerProperty.video
        + PlayerProperty.picture
        + PlayerProperty.window + PlayerProperty.audio + PlayerProperty.tracks + PlayerProperty.program
        + PlayerProperty.options + PlayerProperty.fixedOptions + PlayerProperty.unavailable

    /// The properties by name.
    static let properties: [String: PlayerProperty] = Dictionary(
        all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The names of all properties, in the order of the tables.
    static let names = all.map(\.name)

    /// The names of the properties that are options in mpv.
    static let optionNames = all.filter(\.isOption).map(\.name)

    /// Returns the property to which a name belongs, and the path of the part of its value that the name means; nil if
    /// there is no such property.
    static func find(_ name: String) -> (property: PlayerProperty, path: ArraySlice<String>)? {
        if let property = properties[name] { return (property, []) }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let propertyName = parts.first, let property = properties[propertyName], !parts.contains("") else {
            return nil
        }
        return (property, parts.dropFirst())
    }

    /// Returns the option that `options/NAME` or `file-local-options/NAME` means; nil for any other name.
    static func option(_ name: String) -> PlayerProperty? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, ["options", "file-local-options"].contains(parts[0]),
            let property = properties[String(parts[1])], property.isOption
        else { return nil }
        return property
    }
}

extension PlayerProperty {
    /// Returns the part of the property's value at a path; the whole value if the path is empty.
    ///
    /// - Throws: ``IPCError/propertyUnavailable`` if the property has no value now, ``IPCError/propertyNotFound`` if no
    ///   such part exists.
    func value(at path: ArraySlice<String>, _ context: PropertyContext) throws(IPCError) -> JSONValue {
        if !path.isEmpty, let readPart { return try readPart(context, path) }
        guard let value = read(context) else { throw .propertyUnavailable }
        return try PropertyPath.value(at: path, in: value)
    }
}
