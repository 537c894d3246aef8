/// A line of a playlist that starts with `#EXT` (RFC 8216, section 4.1).
package struct PlaylistTag: Equatable {
    /// The name of the tag without the number sign, such as `EXT-X-KEY`.
    package let name: String
    /// The text after the tag's colon; empty if there is none.
    package let value: ArraySlice<UInt8>
    /// The number of the line in the playlist, counted from 1.
    package let line: Int

    /// Splits a line of a playlist; nil for an address or a comment.
    package init?(_ line: PlaylistLines.Line) {
        guard line.text.starts(with: Self.prefix) else { return nil }
        let text = line.text.dropFirst()
        let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        name = String(decoding: text[..<end], as: UTF8.self)
        value = text[end...].dropFirst()
        self.line = line.number
    }

    /// The characters with which every tag starts.
    private static let prefix = Array("#EXT".utf8)

    /// ``value`` as a string.
    package var text: String { String(decoding: value, as: UTF8.self) }

    /// Returns the error that this tag has an invalid value. `text` is the invalid part; nil stands for the whole
    /// value.
    package func invalidValueError(_ text: String? = nil) -> PlaylistError {
        PlaylistError(.invalidValue(tag: name, text: text ?? self.text), line: line)
    }

    /// Returns the error that this tag lacks an attribute.
    package func missingAttributeError(_ attribute: String) -> PlaylistError {
        PlaylistError(.missingAttribute(tag: name, name: attribute), line: line)
    }
}
