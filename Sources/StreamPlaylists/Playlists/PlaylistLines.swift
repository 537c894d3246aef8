/// The lines of a playlist that are not blank (RFC 8216, section 4.1). Lines end with LF, CRLF or CR.
package struct PlaylistLines: Sequence, IteratorProtocol {
    /// A line without white space at its start and end.
    package struct Line: Equatable {
        /// The number of the line, counted from 1.
        package let number: Int
        package let text: ArraySlice<UInt8>
    }

    /// The text that has not been read yet.
    private var remainingBytes: ArraySlice<UInt8>
    /// The number of the line that was read last.
    private var number = 0

    /// Creates the sequence. A byte order mark at the start is skipped; RFC 8216 forbids it, but servers send it.
    package init(_ bytes: [UInt8]) {
        remainingBytes = bytes[...]
        if remainingBytes.starts(with: [0xEF, 0xBB, 0xBF]) { remainingBytes = remainingBytes.dropFirst(3) }
    }

    /// Returns the next line that is not blank; nil at the end.
    package mutating func next() -> Line? {
        while !remainingBytes.isEmpty {
            number += 1
            var text = takeLine()
            while let last = text.last, Self.isSpace(last) { text.removeLast() }
            text = text.drop(while: Self.isSpace)
            if !text.isEmpty { return Line(number: number, text: text) }
        }
        return nil
    }

    /// Removes and returns the next line without its end mark.
    private mutating func takeLine() -> ArraySlice<UInt8> {
        guard let end = remainingBytes.firstIndex(where: { $0 == 10 || $0 == 13 }) else {
            defer { remainingBytes = [] }
            return remainingBytes
        }
        defer {
            let isCRLF = remainingBytes[end] == 13 && end + 1 < remainingBytes.endIndex && remainingBytes[end + 1] == 10
            remainingBytes = remainingBytes[(end + (isCRLF ? 2 : 1))...]
        }
        return remainingBytes[..<end]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 }
}
