/// A film or a still picture of the library.
struct Film: Hashable, Sendable {
    /// The path of the file.
    let path: String
    /// The modification time and size of the file, which distinguish versions of its content.
    let version: String
    /// Whether the file is a picture instead of a film.
    let isPicture: Bool

    /// The key of the poster in a store. A changed file has a different key.
    var key: String { "\(path) \(version)" }

    /// The file's name without its folder and extension.
    var title: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}
