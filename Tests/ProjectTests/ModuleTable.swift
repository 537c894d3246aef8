/// The modules and what each depends on, as one text states it.
struct ModuleTable: Equatable {
    var dependencies: [String: Set<String>] = [:]
    /// The modules in the order of the text.
    var order: [String] = []

    private mutating func add(_ module: String, _ names: some Sequence<String>) {
        dependencies[module] = Set(names)
        order.append(module)
    }

    /// Reads the table whose rows are "| `Module` … | contents | `Dependency` … |".
    init(page: String) {
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
            guard cells.count >= 3 else { continue }
            let names = cells[2].matches(of: /`(\w+)`/).map { String($0.1) }
            for module in cells[0].matches(of: /`(\w+)`/) { add(String(module.1), names) }
        }
    }

    /// Reads the targets of `Package.swift` that lie under Sources.
    init(manifest: String) {
        let target = /\.(systemLibrary|target|executableTarget)\(\s*name: "(\w+)"(.*)/.dotMatchesNewlines()
        for part in manifest.split(separator: "\n        .").map({ "." + $0 }) {
            guard let match = part.firstMatch(of: target), !part.contains("path: \"Tests/") else { continue }
            var list = Substring()
            if match.1 != "systemLibrary", let start = match.3.firstRange(of: "dependencies: [") {
                // The list ends with the first bracket that opens no list of its own: dependencies name none.
                list = match.3[start.upperBound...].prefix { $0 != "]" }
            }
            let names = list.matches(of: /(?:^|[\s,(])(?:name: )?"(\w+)"/).map { String($0.1) }
            add(String(match.2), names)
        }
    }
}
