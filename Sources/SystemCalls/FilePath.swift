import Glibc

/// A path in the file system: bytes without a zero byte, in no particular encoding.
package struct FilePath: Sendable, Hashable {
    /// The bytes of the path.
    package let bytes: [UInt8]

    /// Creates a path from its bytes; nil if one of them is zero.
    package init?(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard !self.bytes.contains(0) else { return nil }
    }

    /// Creates a path from its UTF-8 text; nil if the text contains a zero byte.
    package init?(_ text: String) { self.init(bytes: text.utf8) }

    /// The path as text; nil if the path is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The folder part of the path including its last slash; empty if the path has no slash.
    package var folder: ArraySlice<UInt8> {
        bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[...$0] } ?? []
    }

    /// The part of the path after its last slash.
    package var name: ArraySlice<UInt8> { bytes[folder.endIndex...] }

    /// Calls `body` with the path as a C string.
    package func withCString<Result, Failure: Error>(
        _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body((bytes + [0]).map { CChar(bitPattern: $0) })
    }

    /// The absolute path without symbolic links, `.` and `..`; nil if there is no file at the path.
    package var resolved: FilePath? {
        guard let resolvedPath = withCString({ realpath($0, nil) }) else { return nil }
        defer { free(resolvedPath) }
        return FilePath(cString: resolvedPath)
    }

    /// The current working directory of the process; nil if it was removed.
    package static var workingDirectory: FilePath? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return FilePath(cString: path)
    }

    /// Creates a path from a C string.
    package init(cString: UnsafePointer<CChar>) {
        bytes = UnsafeBufferPointer(start: cString, count: strlen(cString)).map { UInt8(bitPattern: $0) }
    }

    /// Returns the names in the folder at this path, in no particular order, without `.` and `..`; nil if the folder
    /// cannot be read.
    ///
    /// - Parameter limit: The maximum number of names that are read.
    package func entryNames(limit: Int) -> [[UInt8]]? {
        guard let directory = withCString({ opendir($0) }) else { return nil }
        defer { closedir(directory) }
        var names: [[UInt8]] = []
        while names.count < limit, let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
        }
        return names
    }
}

extension FilePath: ExpressibleByStringLiteral {
    /// Creates a path from the characters of a literal before its first zero character.
    package init(stringLiteral text: String) { bytes = Array(text.utf8.prefix { $0 != 0 }) }
}
