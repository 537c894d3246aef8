/// A parser of the bytes that a terminal sends. It returns keys by mpv's names, and replies to queries.
///
/// An escape sequence may arrive in pieces. While ``isPending`` is true, the caller waits a short time for the rest and
/// then calls ``flush()``, which distinguishes a lone Escape from the start of an arrow key.
package struct TerminalInput: Sendable {
    /// A parsed key or reply.
    package enum Event: Equatable, Sendable {
        /// A key by mpv's name, such as `ctrl+LEFT`.
        case key(String)
        /// A reply of the terminal to a query.
        case reply(TerminalReply)
    }

    /// The maximum length of an escape sequence in bytes. Longer sequences are neither keys nor replies to the player's
    /// queries and are discarded.
    private static let maximumSequenceLength = 1024

    /// The bytes of the unfinished sequence or character.
    private var pendingBytes: [UInt8] = []
    /// Whether the parser discards bytes up to the end of a control string that was too long.
    private var isSkippingString = false

    /// Creates a parser without pending bytes.
    package init() {}

    /// Whether the bytes received so far end in an incomplete escape sequence or character.
    package var isPending: Bool { !pendingBytes.isEmpty || isSkippingString }

    /// Whether the pending bytes begin a reply to a query, which no key press begins with. The rest of a reply may
    /// arrive late over a network, and must not be parsed as keys.
    package var isReplyPending: Bool {
        if isSkippingString { return true }
        guard pendingBytes.count > 2, pendingBytes[0] == 0x1b else { return false }
        return switch pendingBytes[1] {
        case UInt8(ascii: "_"), UInt8(ascii: "P"): true
        case UInt8(ascii: "["): pendingBytes[2] == UInt8(ascii: "?") || pendingBytes.starts(with: "\u{1b}[6;".utf8)
        default: false
        }
    }

    /// Parses the next bytes from the terminal, and returns the completed keys and replies.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            pendingBytes.append(byte)
            parsePending(&events)
        }
        return events
    }

    /// Interprets the pending bytes as complete, because no more bytes have arrived in time.
    package mutating func flush() -> [Event] {
        defer {
            pendingBytes.removeAll()
            isSkippingString = false
        }
        switch pendingBytes.count {
        case 1 where pendingBytes[0] == 0x1b: return [.key("ESC")]
        case 2 where pendingBytes == [0x1b, 0x1b]: return [.key("ESC"), .key("ESC")]
        // Escape and one other character mean Alt with that character, even if it could start a longer sequence.
        case 2 where pendingBytes[0] == 0x1b:
            return [.key("alt+" + TerminalKeys.name(of: Unicode.Scalar(pendingBytes[1])))]
        default: return []
        }
    }

    /// Parses the pending bytes, whose last one is new, and appends the keys and replies that are now complete.
    private mutating func parsePending(_ events: inout [Event]) {
        if isSkippingString { return skipControlString() }
        let firstByte = pendingBytes[0]
        if firstByte != 0x1b { return parseCharacter(&events) }
        guard pendingBytes.count > 1 else { return }
        switch pendingBytes[1] {
        case UInt8(ascii: "["): parseControlSequence(&events)
        case UInt8(ascii: "O"):
            guard pendingBytes.count > 2 else { return }
            if let lastByte = pendingBytes.last, (0x30...0x3b).contains(lastByte), pendingBytes.count < 8 { return }
            finishKey(TerminalKeys.nameOfApplicationKey(Array(pendingBytes.dropFirst(2))), &events)
        case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            parseControlString(&events)
        case 0x1b:
            // On some terminals, an Escape before an escape sequence means Alt. Before any other character it is the
            // Escape key.
            guard pendingBytes.count > 2 else { return }
            if pendingBytes[2] == UInt8(ascii: "[") || pendingBytes[2] == UInt8(ascii: "O") {
                parseAltSequence(&events)
            } else {
                events.append(.key("ESC"))
                pendingBytes.removeFirst()
                let remainingBytes = pendingBytes
                pendingBytes.removeAll()
                events += feed(remainingBytes)
            }
        default: parseAltCharacter(&events)
        }
    }

    /// Appends `key` to `events` if it is not nil, and clears the pending bytes.
    private mutating func finishKey(_ key: String?, _ events: inout [Event]) {
        if let key { events.append(.key(key)) }
        pendingBytes.removeAll(keepingCapacity: true)
    }

    /// Parses the pending bytes as a character.
    private mutating func parseCharacter(_ events: inout [Event]) {
        switch TerminalKeys.decodeCharacter(pendingBytes) {
        case .complete(let name): finishKey(name, &events)
        case .incomplete: break
        case .invalid(let interruptingByte):
            pendingBytes.removeAll(keepingCapacity: true)
            // A byte that interrupted an invalid character starts the next character, so parse that byte again.
            if let interruptingByte { events += feed([interruptingByte]) }
        }
    }

    /// Parses the pending bytes as a character after Escape, which means Alt.
    private mutating func parseAltCharacter(_ events: inout [Event]) {
        switch TerminalKeys.decodeCharacter(Array(pendingBytes.dropFirst())) {
        case .complete(let name):
            guard let name else { return pendingBytes.removeAll() }
            // mpv names `ctrl` before `alt`.
            finishKey(name.hasPrefix("ctrl+") ? "ctrl+alt+" + name.dropFirst(5) : "alt+" + name, &events)
        case .incomplete: break
        case .invalid(let interruptingByte):
            pendingBytes.removeAll(keepingCapacity: true)
            if let interruptingByte { events += feed([interruptingByte]) }
        }
    }

    /// Parses the pending bytes as an escape sequence after an additional Escape, which means Alt.
    private mutating func parseAltSequence(_ events: inout [Event]) {
        var innerInput = TerminalInput()
        let innerEvents = innerInput.feed(pendingBytes.dropFirst())
        if innerInput.isPending { return }
        pendingBytes.removeAll(keepingCapacity: true)
        for event in innerEvents {
            if case .key(let name) = event {
                events.append(.key(TerminalKeys.addingAlt(to: name)))
            } else {
                events.append(event)
            }
        }
    }

    /// Parses the pending bytes as a control sequence (CSI).
    private mutating func parseControlSequence(_ events: inout [Event]) {
        guard pendingBytes.count > 2, let lastByte = pendingBytes.last else { return }
        // The Linux console sends F1...F5 as CSI [ A ... E.
        if pendingBytes[2] == UInt8(ascii: "[") {
            guard pendingBytes.count == 4 else { return }
            return finishKey((0x41...0x45).contains(lastByte) ? "F\(lastByte - 0x40)" : nil, &events)
        }
        // An X10 mouse report has three bytes after CSI M. It is ignored because mouse reports were not requested.
        if pendingBytes[2] == UInt8(ascii: "M") {
            if pendingBytes.count == 6 { finishKey(nil, &events) }
            return
        }
        switch lastByte {
        case 0x40...0x7e:
            let sequence = ControlSequence(pendingBytes.dropFirst(2))
            if let reply = sequence.reply { events.append(.reply(reply)) }
            finishKey(sequence.key, &events)
        case 0x20...0x3f where pendingBytes.count < Self.maximumSequenceLength: break
        case 0x1b:
            // A new Escape ends the incomplete sequence.
            pendingBytes = [0x1b]
        default: finishKey(nil, &events)
        }
    }

    /// Parses the pending bytes as a control string, such as a reply about kitty graphics (APC).
    private mutating func parseControlString(_ events: inout [Event]) {
        guard pendingBytes.count > 2, let lastByte = pendingBytes.last else { return }
        let isTerminated =
            lastByte == 0x07 && pendingBytes[1] == UInt8(ascii: "]")
            || lastByte == 0x5c && pendingBytes[pendingBytes.count - 2] == 0x1b
        if isTerminated {
            let body = String(decoding: pendingBytes.dropFirst(2).dropLast(lastByte == 0x07 ? 1 : 2), as: UTF8.self)
            if pendingBytes[1] == UInt8(ascii: "_"), body.hasPrefix("Gi=31") {
                events.append(.reply(.kittyGraphics(body.hasSuffix(";OK"))))
            } else if pendingBytes[1] == UInt8(ascii: "P"), let reply = TerminalReply.deviceControl(body) {
                events.append(.reply(reply))
            }
            pendingBytes.removeAll(keepingCapacity: true)
        } else if pendingBytes.count >= Self.maximumSequenceLength {
            isSkippingString = true
            pendingBytes = [lastByte]
        }
    }

    /// Discards bytes up to the end of a control string that was too long.
    private mutating func skipControlString() {
        let count = pendingBytes.count
        let isTerminated =
            pendingBytes[count - 1] == 0x07
            || count > 1 && pendingBytes[count - 1] == 0x5c && pendingBytes[count - 2] == 0x1b
        if isTerminated {
            isSkippingString = false
            pendingBytes.removeAll(keepingCapacity: true)
        } else if count > 1 {
            pendingBytes.removeFirst(count - 1)
        }
    }
}
