/// The reason why a request failed. The raw value is the error string of mpv's JSON IPC.
enum IPCError: String, Error, Sendable, Equatable, CaseIterable {
    /// The command does not exist, or its arguments have the wrong number or type.
    case invalidParameter = "invalid parameter"
    /// No property has that name.
    case propertyNotFound = "property not found"
    /// The property exists but has no value now, for example because no file is loaded.
    case propertyUnavailable = "property unavailable"
    /// The value has a type that the property accepts, but it is a malformed string or a number out of range.
    case propertyFormat = "unsupported format for accessing property"
    /// The property does not accept values of this type, or is read-only.
    case propertyError = "error accessing property"
    /// The command is valid, but its execution failed.
    case commandFailed = "error running command"
    /// A file could not be loaded.
    case loadingFailed = "loading failed"
    /// A limit was exceeded, such as the number of observers.
    case outOfMemory = "memory allocation failed"

    var description: String { rawValue }
}
