import Glibc

/// One line on standard error.
enum Complaint {
    static func write(_ text: String) {
        // File names may carry anything; a terminal must not obey them.
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
        let line = Array("\(shown)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
