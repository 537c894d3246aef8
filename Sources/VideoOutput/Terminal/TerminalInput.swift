/// A parser of the bytes that a terminal sends: keys, by mpv's names, and replies to queries.
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
    private static let maximumLength = 1024

    /// The bytes of the unfinished sequence or character.
    private var pending: [UInt8] = []
    /// Whether the parser discards bytes up to the end of a control string that was too long.
    private var isSkippingString = false

    /// Creates a parser without pending bytes.
    package init() {}

    /// Whether an escape sequence or a character has started and not ended.
    package var isPending: Bool { !pending.isEmpty || isSkippingString }

    /// Parses the next bytes from the terminal, and returns the completed keys and replies.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            pending.append(byte)
            parsePending(&events)
        }
        return events
    }

    /// Interprets the pending bytes as complete, because no more bytes have arrived in time.
    package mutating func flush() -> [Event] {
        defer {
            pending.removeAll()
            isSkippingString = false
        }
        switch pending.count {
        case 1 where pending[0] == 0x1b: return [.key("ESC")]
        case 2 where pending == [0x1b, 0x1b]: return [.key("ESC"), .key("ESC")]
        // Escape and one other character mean Alt with that character, even if it could start a longer sequence.
        case 2 where pending[0] == 0x1b: return [.key("alt+" + TerminalKeys.name(of: Unicode.Scalar(pending[1])))]
        default: return []
        }
    }

    /// Parses the pending bytes, whose last one is new, and appends the keys and replies that are now complete.
    private mutating func parsePending(_ events: inout [Event]) {
        if isSkippingString { return skipControlString() }
        let first = pending[0]
        if first != 0x1b { return parseCharacter(&events) }
        guard pending.count > 1 else { return }
        switch pending[1] {
        case UInt8(ascii: "["): parseControlSequence(&events)
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return }
            if let last = pending.last, (0x30...0x3b).contains(last), pending.count < 8 { return }
            finishKey(TerminalKeys.applicationKey(Array(pending.dropFirst(2))), &events)
        case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            parseControlString(&events)
        case 0x1b:
            // On some terminals, an Escape before an escape sequence means Alt. Before any other character it is the
            // Escape key.
            guard pending.count > 2 else { return }
            if pending[2] == UInt8(ascii: "[") || pending[2] == UInt8(ascii: "O") {
                parseAltSequence(&events)
            } else {
                events.append(.key("ESC"))
                pending.removeFirst()
                let remaining = pending
                pending.removeAll()
                events += feed(remaining)
            }
        default: parseAltCharacter(&events)
        }
    }

    /// Appends `key` to `events` if it is not nil, and clears the pending bytes.
    private mutating func finishKey(_ key: String?, _ events: inout [Event]) {
        if let key { events.append(.key(key)) }
        pending.removeAll(keepingCapacity: true)
    }

    /// Parses the pending bytes as a character.
    private mutating func parseCharacter(_ events: inout [Event]) {
        switch TerminalKeys.character(pending) {
        case .complete(let name): finishKey(name, &events)
        case .incomplete: break
        case .invalid(let remaining):
            pending.removeAll(keepingCapacity: true)
            // A byte that interrupted an invalid character starts the next character, so parse that byte again.
            if let remaining { events += feed([remaining]) }
        }
    }

    /// Parses the pending bytes as a character after Escape, which means Alt.
    private mutating func parseAltCharacter(_ events: inout [Event]) {
        switch TerminalKeys.character(Array(pending.dropFirst())) {
        case .complete(let name):
            guard let name else { return pending.removeAll() }
            // mpv names `ctrl` before `alt`.
            finishKey(name.hasPrefix("ctrl+") ? "ctrl+alt+" + name.dropFirst(5) : "alt+" + name, &events)
        case .incomplete: break
        case .invalid(let remaining):
            pending.removeAll(keepingCapacity: true)
            if let remaining { events += feed([remaining]) }
        }
    }

    /// Parses the pending bytes as an escape sequence after an additional Escape, which means Alt.
    private mutating func parseAltSequence(_ events: inout [Event]) {
        var inner = TerminalInput()
        let found = inner.feed(pending.dropFirst())
        if inner.isPending { return }
        pending.removeAll(keepingCapacity: true)
        for event in found {
            if case .key(let name) = event {
                events.append(.key(TerminalKeys.addingAlt(to: name)))
            } else {
                events.append(event)
            }
        }
    }

    /// Parses the pending bytes as a control sequence (CSI).
    private mutating func parseControlSequence(_ events: inout [Event]) {
        guard pending.count > 2, let last = pending.last else { return }
        // The Linux console sends F1...F5 as CSI [ A ... E.
        if pending[2] == UInt8(ascii: "[") {
            if pending.count == 4 { finishKey((0x41...0x45).contains(last) ? "F\(last - 0x40)" : nil, &events) }
            return
        }
        // An X10 mouse report has three bytes after CSI M. It is ignored because mouse reports were not requested.
        if pending[2] == UInt8(ascii: "M") {
            if pending.count == 6 { finishKey(nil, &events) }
            return
        }
        switch last {
        case 0x40...0x7e:
            let sequence = ControlSequence(pending.dropFirst(2))
            if let reply = sequence.reply { events.append(.reply(reply)) }
            finishKey(sequence.key, &events)
        case 0x20...0x3f where pending.count < Self.maximumLength: break
        case 0x1b:
            // A new Escape ends the incomplete sequence.
            pending = [0x1b]
        default: finishKey(nil, &events)
        }
    }

    /// Parses the pending bytes as a control string, such as a reply about kitty graphics (APC).
    private mutating func parseControlString(_ events: inout [Event]) {
        guard pending.count > 2, let last = pending.last else { return }
        let ends = last == 0x07 && pending[1] == UInt8(ascii: "]") || last == 0x5c && pending[pending.count - 2] == 0x1b
        if ends {
            let body = String(decoding: pending.dropFirst(2).dropLast(last == 0x07 ? 1 : 2), as: UTF8.self)
            if pending[1] == UInt8(ascii: "_"), body.hasPrefix("Gi=31") {
                events.append(.reply(.kittyGraphics(body.hasSuffix(";OK"))))
            }
            pending.removeAll(keepingCapacity: true)
        } else if pending.count >= Self.maximumLength {
            isSkippingString = true
            pending = [last]
        }
    }

    /// Discards bytes up to the end of a control string that was too long.
    private mutating func skipControlString() {
        let count = pending.count
        let ends = pending[count - 1] == 0x07 || count > 1 && pending[count - 1] == 0x5c && pending[count - 2] == 0x1b
        if ends {
            isSkippingString = false
            pending.removeAll(keepingCapacity: true)
        } else if count > 1 {
            pending.removeFirst(count - 1)
        }
    }
}
