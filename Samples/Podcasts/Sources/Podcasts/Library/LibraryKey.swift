/// The name of an episode or a feed outside the library, such as `3f2a9c1d-17`: it describes transfers and names files.
///
/// The first part is the identifier of the library. If the user deletes the library and begins another one, transfers
/// and files of the deleted one are not taken for those of the new one.
struct LibraryKey: Hashable, Sendable, CustomStringConvertible {
    let library: String
    let number: Int

    init(library: String, number: Int) { (self.library, self.number) = (library, number) }

    /// Reads the description of a transfer, which begins with the key of an episode; nil if it does not.
    init?(description: String) { self.init(String(description.prefix { $0 != " " })) }

    private init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == Library.identifierLength, parts[0].allSatisfy(\.isHexDigit),
            let number = Int(parts[1]), number > 0, String(number) == parts[1]
        else { return nil }
        self.init(library: String(parts[0]), number: number)
    }

    /// Reads the name of a file; nil if the program did not give the name.
    init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        self.init(String(parts[0]))
    }

    var description: String { "\(library)-\(number)" }
}
