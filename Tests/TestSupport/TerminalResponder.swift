import Foundation

/// Which of the usual questions a terminal answers.
package struct TerminalAnswers: Sendable, Equatable {
    /// Device attributes (`CSI c`), with sixel among them or not.
    package var attributes: String?
    /// The size in pixels of the text area and of a cell (`CSI 14 t`, `CSI 16 t`).
    package var reportsPixels: Bool
    /// Kitty's graphics query.
    package var speaksKitty: Bool

    package init(attributes: String?, reportsPixels: Bool, speaksKitty: Bool) {
        self.attributes = attributes
        self.reportsPixels = reportsPixels
        self.speaksKitty = speaksKitty
    }

    /// Answers nothing at all.
    package static let none = TerminalAnswers(attributes: nil, reportsPixels: false, speaksKitty: false)
    /// Text only.
    package static let plain = TerminalAnswers(attributes: "\u{1B}[?62c", reportsPixels: true, speaksKitty: false)
    /// xterm with sixel graphics.
    package static let sixel = TerminalAnswers(attributes: "\u{1B}[?62;4c", reportsPixels: true, speaksKitty: false)
    /// kitty.
    package static let kitty = TerminalAnswers(attributes: "\u{1B}[?62c", reportsPixels: true, speaksKitty: true)
}

/// Finds questions in what a program writes, split anywhere, and answers each once.
package struct TerminalResponder: Sendable {
    private let answers: TerminalAnswers
    private var tail: [UInt8] = []
    private static let longestQuestion = 256

    package init(answers: TerminalAnswers) { self.answers = answers }

    /// The answers to the questions that end in `bytes`.
    package mutating func answer(to bytes: some Collection<UInt8>, size: PseudoTerminal.Size) -> String {
        var answer = ""
        for byte in bytes {
            tail.append(byte)
            switch byte {
            case UInt8(ascii: "c"):
                if let attributes = answers.attributes, ends(with: "\u{1B}[c") || ends(with: "\u{1B}[0c") {
                    answer += attributes
                }
            case UInt8(ascii: "t"):
                guard answers.reportsPixels else { break }
                if ends(with: "\u{1B}[14t") {
                    answer += "\u{1B}[4;\(size.rows * size.cellHeight);\(size.columns * size.cellWidth)t"
                }
                if ends(with: "\u{1B}[16t") { answer += "\u{1B}[6;\(size.cellHeight);\(size.cellWidth)t" }
                if ends(with: "\u{1B}[18t") { answer += "\u{1B}[8;\(size.rows);\(size.columns)t" }
            case UInt8(ascii: "\\"):
                if let id = kittyQuery { answer += "\u{1B}_Gi=\(id);OK\u{1B}\\" }
            default: break
            }
            if tail.count > 2 * Self.longestQuestion { tail.removeFirst(Self.longestQuestion) }
        }
        return answer
    }

    private func ends(with question: String) -> Bool { tail.suffix(question.utf8.count).elementsEqual(question.utf8) }

    /// The image number of a kitty graphics query (`a=q`) that has just ended.
    private var kittyQuery: String? {
        guard answers.speaksKitty, tail.dropLast().last == 0x1B else { return nil }
        let text = String(decoding: tail.suffix(Self.longestQuestion), as: UTF8.self)
        guard let start = text.range(of: "\u{1B}_G", options: .backwards)?.upperBound else { return nil }
        let keys = text[start...].prefix { $0 != ";" && $0 != "\u{1B}" }.split(separator: ",")
        guard keys.contains("a=q") else { return nil }
        return keys.first { $0.hasPrefix("i=") }.map { String($0.dropFirst(2)) } ?? "1"
    }
}
