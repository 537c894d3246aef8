import Foundation

/// The terminal queries to which a simulated terminal replies, and its replies.
package struct TerminalReplies: Sendable, Equatable {
    /// The reply to the query for device attributes (`CSI c`), which may list sixel support; nil sends no reply.
    package var attributes: String?
    /// Whether the terminal reports the sizes of its text area (`CSI 14 t`) and of its cells (`CSI 16 t`) in pixels,
    /// and its size in cells (`CSI 18 t`).
    package var reportsSizes: Bool
    /// Whether the terminal replies to kitty's graphics query.
    package var supportsKitty: Bool

    package init(attributes: String?, reportsSizes: Bool, supportsKitty: Bool) {
        self.attributes = attributes
        self.reportsSizes = reportsSizes
        self.supportsKitty = supportsKitty
    }

    /// A terminal that replies to no query.
    package static let none = TerminalReplies(attributes: nil, reportsSizes: false, supportsKitty: false)
    /// A terminal that supports neither sixel nor kitty graphics.
    package static let plain = TerminalReplies(attributes: "\u{1B}[?62c", reportsSizes: true, supportsKitty: false)
    /// An xterm with sixel graphics.
    package static let sixel = TerminalReplies(attributes: "\u{1B}[?62;4c", reportsSizes: true, supportsKitty: false)
    /// A terminal with the kitty graphics protocol.
    package static let kitty = TerminalReplies(attributes: "\u{1B}[?62c", reportsSizes: true, supportsKitty: true)
}

/// Detects terminal queries in the output of a program, even if a query arrives in several pieces, and returns the
/// replies of the simulated terminal.
package struct TerminalResponder: Sendable {
    private let replies: TerminalReplies
    /// The last bytes of the program's output, which may contain the beginning of a query.
    private var outputTail: [UInt8] = []
    /// The maximum length of a terminal query, in bytes.
    private static let maximumQueryLength = 256

    package init(replies: TerminalReplies) { self.replies = replies }

    /// Returns the replies to all terminal queries whose last byte is in `bytes`, the next output of the program.
    package mutating func reply(to bytes: some Collection<UInt8>, size: PseudoTerminal.Size) -> String {
        var reply = ""
        for byte in bytes {
            outputTail.append(byte)
            switch byte {
            case UInt8(ascii: "c"):
                if let attributes = replies.attributes, outputEnds(with: "\u{1B}[c") || outputEnds(with: "\u{1B}[0c") {
                    reply += attributes
                }
            case UInt8(ascii: "t"):
                guard replies.reportsSizes else { break }
                let (width, height) = (size.cellWidthInPixels, size.cellHeightInPixels)
                if outputEnds(with: "\u{1B}[14t") {
                    reply += "\u{1B}[4;\(size.rows * height);\(size.columns * width)t"
                }
                if outputEnds(with: "\u{1B}[16t") { reply += "\u{1B}[6;\(height);\(width)t" }
                if outputEnds(with: "\u{1B}[18t") { reply += "\u{1B}[8;\(size.rows);\(size.columns)t" }
            case UInt8(ascii: "S"):
                if replies == .sixel, outputEnds(with: "\u{1B}[?2;1;0S") { reply += "\u{1B}[?2;0;1200;1200S" }
            case UInt8(ascii: "\\"):
                if let id = kittyQueryImageNumber { reply += "\u{1B}_Gi=\(id);OK\u{1B}\\" }
            default: break
            }
            if outputTail.count > 2 * Self.maximumQueryLength { outputTail.removeFirst(Self.maximumQueryLength) }
        }
        return reply
    }

    /// Returns whether the program's output so far ends with the terminal query `query`.
    private func outputEnds(with query: String) -> Bool {
        outputTail.suffix(query.utf8.count).elementsEqual(query.utf8)
    }

    /// The image number in a kitty graphics query (`a=q`) that ends with the last byte of the output; nil if the output
    /// does not end with such a query.
    private var kittyQueryImageNumber: String? {
        guard replies.supportsKitty, outputTail.dropLast().last == 0x1B else { return nil }
        let text = String(decoding: outputTail.suffix(Self.maximumQueryLength), as: UTF8.self)
        guard let start = text.range(of: "\u{1B}_G", options: .backwards)?.upperBound else { return nil }
        let keys = text[start...].prefix { $0 != ";" && $0 != "\u{1B}" }.split(separator: ",")
        guard keys.contains("a=q") else { return nil }
        return keys.first { $0.hasPrefix("i=") }.map { String($0.dropFirst(2)) } ?? "1"
    }
}
