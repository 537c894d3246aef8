/// Formats rows of text as columns for users.
enum TextTable {
    /// Returns the rows, one per line, with columns of equal width.
    ///
    /// - Parameter rows: The cells; all rows have the same number.
    static func text(of rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(
                separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
