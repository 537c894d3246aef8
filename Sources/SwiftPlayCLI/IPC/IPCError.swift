/// Why a request failed; the raw value is the word for it in mpv's replies.
enum IPCError: String, Error, Sendable, Equatable, CaseIterable {
    /// No such command, or its arguments are wrong in number or kind.
    case invalidParameter = "invalid parameter"
    case propertyNotFound = "property not found"
    /// The property exists, but has no value now: nothing is loaded, say.
    case propertyUnavailable = "property unavailable"
    /// The property takes values of this kind, but not this one: a string it cannot read, a number out of range.
    case propertyFormat = "unsupported format for accessing property"
    /// The property takes no values of this kind, or cannot be set at all.
    case propertyError = "error accessing property"
    /// The command is right, but could not be carried out.
    case commandFailed = "error running command"
    case loadingFailed = "loading failed"
    case outOfMemory = "memory allocation failed"

    var description: String { rawValue }
}
