/// The absolute address of a playlist, to which its references are relative.
package struct PlaylistBase: Sendable, Equatable {
    /// The absolute address of the playlist.
    package let text: String
    /// The absolute address of the playlist, split into its parts.
    package let reference: URIReference
    /// The scheme of the playlist's address in lower case, such as `https`.
    package let scheme: String
    /// The length in bytes of the playlist's address up to the last slash of its path: the part that a relative path
    /// inherits.
    package let folderPrefixByteCount: Int
    /// The maximum length of an absolute address in bytes.
    package let addressByteLimit: Int

    package init(_ text: String, limit: Int) throws(PlaylistError) {
        guard text.utf8.count <= limit else { throw PlaylistError(.addressTooLong(limit: limit)) }
        self.text = text
        addressByteLimit = limit
        reference = URIReference(text)
        guard let scheme = reference.scheme else { throw PlaylistError(.refusedScheme("")) }
        self.scheme = scheme.lowercased()
        folderPrefixByteCount = URIReference("./").resolved(against: reference).text.utf8.count
    }

    /// Whether the playlist is a local file.
    package var isLocal: Bool { scheme == "file" }
}
