import ArgumentParser

/// The message about an unknown option, with the name of the option that the user probably meant.
enum OptionSuggestion {
    /// Returns the known name that is similar to an unknown one; nil if no name is similar.
    ///
    /// - Parameters:
    ///   - name: The unknown name, without hyphens in front.
    ///   - names: The known names, without hyphens in front and without `no-`.
    ///   - switchNames: The names that `no-` may precede.
    static func suggestion(for name: String, names: Set<String>, switchNames: Set<String>) -> String? {
        // `no-` does not count, so that it does not make short names similar.
        guard name.hasPrefix("no-") else { return nearest(to: name, in: names) }
        let nameWithoutNo = String(name.dropFirst(3))
        if names.contains(nameWithoutNo) { return nameWithoutNo }
        return nearest(to: nameWithoutNo, in: switchNames).map { "no-" + $0 } ?? nearest(to: nameWithoutNo, in: names)
    }

    /// Returns the other name with the fewest differences from `name`; nil if all have more than one difference for
    /// each four characters.
    private static func nearest(to name: String, in names: Set<String>) -> String? {
        let limit = min(max(1, name.count / 4), name.count - 1)
        let candidates = names.lazy.map { (distance: distance(name, $0), name: $0) }
        return candidates.filter { $0.distance > 0 && $0.distance <= limit }.min { $0 < $1 }?.name
    }

    /// Returns the number of characters to insert, remove, replace or swap with the next one that turn `a` into `b`.
    private static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a), b = Array(b)
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        /// The distances of all beginnings of `b` from the beginnings of `a` with one and two characters less.
        var beforePrevious: [Int] = [], previous = Array(0...b.count)
        for row in 1...a.count {
            var currentRow = [row]
            for column in 1...b.count {
                let isEqual = a[row - 1] == b[column - 1]
                var smallestDistance = min(
                    previous[column] + 1, currentRow[column - 1] + 1, previous[column - 1] + (isEqual ? 0 : 1))
                if row > 1, column > 1, a[row - 1] == b[column - 2], a[row - 2] == b[column - 1] {
                    smallestDistance = min(smallestDistance, beforePrevious[column - 2] + 1)
                }
                currentRow.append(smallestDistance)
            }
            (beforePrevious, previous) = (previous, currentRow)
        }
        return previous[b.count]
    }
}

extension PlayOptions {
    /// The names of all options, without hyphens in front and without `no-`.
    static let optionNames: Set<String> = {
        let columns = helpMessage(includeHidden: true, columns: 200).split(separator: "\n").filter {
            $0.hasPrefix("  -")
        }
        let words = columns.flatMap { $0.split { $0 == " " || $0 == "/" || $0 == "," }.prefix { $0.hasPrefix("-") } }
        let names = words.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
        return Set(names.map { $0.hasPrefix("no-") ? String($0.dropFirst(3)) : $0 })
            .union(MPVArguments.namesOfOtherSpellings)
    }()

    /// Returns the error that the program reports for an error of the argument parser: for an unknown option, one that
    /// suggests a similar option.
    static func reportedError(_ error: any Error) -> any Error {
        let text = message(for: error), prefix = "Unknown option '"
        guard text.hasPrefix(prefix) else { return error }
        let option = text.dropFirst(prefix.count).prefix { $0 != "'" }
        let name = String(option.drop { $0 == "-" }.prefix { $0 != "=" })
        let suggestion = OptionSuggestion.suggestion(
            for: name, names: optionNames, switchNames: MPVArguments.switchNames)
        return ValidationError("Unknown option '\(option)'." + (suggestion.map { " Did you mean '--\($0)'?" } ?? ""))
    }
}
