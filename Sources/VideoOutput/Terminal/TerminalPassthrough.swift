import Glibc
import SystemCalls

/// The way in which images reach the terminal behind a terminal multiplexer: control strings whose contents tmux and
/// GNU screen pass to the terminal unchanged.
package struct TerminalPassthrough: Equatable, Sendable {
    /// A terminal multiplexer.
    package enum Multiplexer: UInt32, Sendable {
        /// tmux, whose option `allow-passthrough` is on.
        case tmux = 1
        /// GNU screen.
        case screen = 2
    }

    /// The multiplexer between this program and the terminal.
    package let multiplexer: Multiplexer
    /// The terminal's cell that shows this program's upper left cell, with columns and rows counted from 0.
    package let origin: (x: Int, y: Int)

    /// The largest number of bytes in one control string of tmux, which discards strings above 1 MiB.
    private static let tmuxStringLength = 1_000_000
    /// The largest number of pixels of a sixel image. A film takes about 0.7 bytes for a pixel, and up to 1.6 fit into
    /// ``tmuxStringLength``. Noise in every pixel takes 2.6: such an image is not drawn.
    static let tmuxSixelPixelCount = 600_000
    /// The number of bytes in one control string of GNU screen, with its introducer and its end.
    private static let screenStringLength = 768
    /// The time in nanoseconds for which this process waits for tmux.
    private static let tmuxTimeout: Int64 = 200_000_000
    /// The values that tmux reports: its option, the position of its pane, and its status lines.
    private static let tmuxFormat = "#{allow-passthrough},#{pane_left},#{pane_top},#{status},#{status-position}"

    package init(multiplexer: Multiplexer, x: Int = 0, y: Int = 0) {
        self.multiplexer = multiplexer
        origin = (x, y)
    }

    package static func == (a: TerminalPassthrough, b: TerminalPassthrough) -> Bool {
        a.multiplexer == b.multiplexer && a.origin == b.origin
    }

    /// Finds out whether the multiplexer passes images to the terminal; nil if it does not, or if there is none. Waits
    /// for ``tmuxTimeout`` at most.
    ///
    /// - Parameter environment: Returns the value of an environment variable; nil if it is not set.
    package static func detect(environment: (String) -> String?) -> TerminalPassthrough? {
        if environment("TMUX") != nil {
            let paneArguments = environment("TMUX_PANE").map { ["-t", $0] } ?? []
            let reply = CommandOutput.read(
                "tmux", ["display-message", "-p"] + paneArguments + [tmuxFormat], until: MonotonicTime.now + tmuxTimeout
            )
            return reply.flatMap { TerminalPassthrough(tmuxValues: $0) }
        }
        return environment("STY") == nil ? nil : TerminalPassthrough(multiplexer: .screen)
    }

    /// Parses the values of ``tmuxFormat``; nil if they are not valid or tmux passes nothing through. A tmux older than
    /// 3.3 has no such option, and always passes strings through.
    init?(tmuxValues text: String) {
        let values = text.prefix { !$0.isNewline }.split(separator: ",", omittingEmptySubsequences: false)
        guard values.count == 5, ["", "1", "on", "all"].contains(values[0]), let left = Int(values[1]),
            let top = Int(values[2]), 0...9_999 ~= left, 0...9_999 ~= top
        else { return nil }
        // The option `status` is on, off, or a number of lines.
        let statusLineCount = values[3] == "on" ? 1 : min(5, max(0, Int(values[3]) ?? 0))
        self.init(multiplexer: .tmux, x: left, y: values[4] == "top" ? top + statusLineCount : top)
    }

    /// Returns the first bytes that fit into one control string of tmux and end with a control sequence; nil if that
    /// sequence is too long. Between two strings, tmux writes sequences of its own, which would end a sequence in two
    /// strings.
    private static func piece(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var length = 0, pieceEnd: Int?
        for (index, byte) in zip(bytes.indices, bytes) {
            length += byte == 0x1b ? 2 : 1
            if length > tmuxStringLength { return pieceEnd.map { bytes[..<$0] } }
            // A control string ends with `ESC \`.
            if byte == 0x5c, index > bytes.startIndex, bytes[index - 1] == 0x1b { pieceEnd = index + 1 }
        }
        return bytes
    }

    /// Returns the control strings that pass `bytes` to the terminal; empty if they contain a control sequence that is
    /// too long for tmux.
    func wrap(_ bytes: [UInt8]) -> [UInt8] {
        var strings = TerminalBytes(capacity: bytes.count + bytes.count / 64 + 64)
        var remainingBytes = bytes[...]
        while !remainingBytes.isEmpty {
            switch multiplexer {
            case .tmux:
                guard let piece = Self.piece(of: remainingBytes) else { return [] }
                strings.add("\u{1b}Ptmux;" as StaticString)
                for byte in piece {
                    if byte == 0x1b { strings.add(byte) }
                    strings.add(byte)
                }
                remainingBytes = remainingBytes[piece.endIndex...]
            case .screen:
                // A string ends at the first `ESC \`. Screen passes on an Escape before that end, so that `ESC \` is
                // passed on in two strings.
                var piece = remainingBytes.prefix(Self.screenStringLength - 4)
                if let end = zip(piece.indices, piece.indices.dropFirst()).first(where: { first, second in
                    piece[first] == 0x1b && piece[second] == 0x5c
                }) {
                    piece = piece[...end.0]
                }
                strings.add("\u{1b}P" as StaticString)
                strings.add(Array(piece))
                remainingBytes = remainingBytes[piece.endIndex...]
            }
            strings.add("\u{1b}\\" as StaticString)
        }
        return strings.bytes
    }
}
