/// The modules and their dependencies, as one text (the architecture page or `Package.swift`) states them.
struct ModuleTable: Equatable {
    /// The names of the modules that each module depends on.
    var dependencies: [String: Set<String>] = [:]
    /// The names of the modules, in the order in which the text lists them.
    var moduleNames: [String] = []

    /// Adds a module with the names of its dependencies.
    private mutating func add(_ module: String, _ dependencyNames: some Sequence<String>) {
        dependencies[module] = Set(dependencyNames)
        moduleNames.append(module)
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
            guard let match = part.firstMatch(of: target), !part.contains("path: \"Tests/"),
                !part.contains("path: \"Samples/")
            else { continue }
            var dependencyList = Substring()
            if match.1 != "systemLibrary", let start = match.3.firstRange(of: "dependencies: [") {
                // The list of dependencies ends at the first closing bracket, because it contains no other lists.
                dependencyList = match.3[start.upperBound...].prefix { $0 != "]" }
            }
            let names = dependencyList.matches(of: /(?:^|[\s,(])(?:name: )?"(\w+)"/).map { String($0.1) }
            add(String(match.2), names)
        }
    }
}
