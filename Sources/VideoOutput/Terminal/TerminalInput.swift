/// Turns the bytes that a terminal sends into keys by mpv's names and answers to questions. Pure: no descriptor, no
/// clock.
///
/// A sequence may come in pieces. While ``isPending``, the caller waits a short while for the rest and then calls
/// ``flush()``: that is how a lone Escape is told from the beginning of an arrow key.
package struct TerminalInput: Sendable {
    package enum Event: Equatable, Sendable {
        case key(String)
        case answer(TerminalAnswer)
    }

    /// Longer sequences are thrown away: no key is that long, and no answer that we asked for.
    private static let maximumLength = 1024

    private var pending: [UInt8] = []
    /// Inside a sequence that was too long: everything up to its end is ignored.
    private var isSkippingString = false

    package init() {}

    /// The beginning of something has come and its end has not.
    package var isPending: Bool { !pending.isEmpty || isSkippingString }

    /// Takes the next bytes.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            pending.append(byte)
            step(&events)
        }
        return events
    }

    /// Decides what is pending: nothing more has come.
    package mutating func flush() -> [Event] {
        defer {
            pending.removeAll()
            isSkippingString = false
        }
        switch pending.count {
        case 1 where pending[0] == 0x1b: return [.key("ESC")]
        case 2 where pending == [0x1b, 0x1b]: return [.key("ESC"), .key("ESC")]
        // Alt and the character that begins a sequence.
        case 2 where pending[0] == 0x1b: return [.key("alt+" + TerminalKeys.name(of: Unicode.Scalar(pending[1])))]
        default: return []
        }
    }

    /// Looks whether `pending`, which has just grown by one byte, is whole.
    private mutating func step(_ events: inout [Event]) {
        if isSkippingString { return skip() }
        let first = pending[0]
        if first != 0x1b { return text(&events) }
        guard pending.count > 1 else { return }
        switch pending[1] {
        case UInt8(ascii: "["): control(&events)
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return }
            if let last = pending.last, (0x30...0x3b).contains(last), pending.count < 8 { return }
            take(TerminalKeys.applicationKey(Array(pending.dropFirst(2))), &events)
        case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            string(&events)
        case 0x1b:
            // Escape before a sequence is Alt on some terminals; before anything else it is Escape.
            guard pending.count > 2 else { return }
            if pending[2] == UInt8(ascii: "[") || pending[2] == UInt8(ascii: "O") {
                altSequence(&events)
            } else {
                events.append(.key("ESC"))
                pending.removeFirst()
                let rest = pending
                pending.removeAll()
                events += feed(rest)
            }
        default: altText(&events)
        }
    }

    private mutating func take(_ key: String?, _ events: inout [Event]) {
        if let key { events.append(.key(key)) }
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func text(_ events: inout [Event]) {
        switch TerminalKeys.character(pending) {
        case .whole(let name): take(name, &events)
        case .incomplete: break
        case .invalid(let rest):
            pending.removeAll(keepingCapacity: true)
            // The byte that broke the character begins something of its own.
            if let rest { events += feed([rest]) }
        }
    }

    private mutating func altText(_ events: inout [Event]) {
        switch TerminalKeys.character(Array(pending.dropFirst())) {
        case .whole(let name):
            guard let name else { return pending.removeAll() }
            // ctrl comes before alt, as in mpv.
            take(name.hasPrefix("ctrl+") ? "ctrl+alt+" + name.dropFirst(5) : "alt+" + name, &events)
        case .incomplete: break
        case .invalid(let rest):
            pending.removeAll(keepingCapacity: true)
            if let rest { events += feed([rest]) }
        }
    }

    private mutating func altSequence(_ events: inout [Event]) {
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

    private mutating func control(_ events: inout [Event]) {
        guard pending.count > 2, let last = pending.last else { return }
        // The Linux console's F1...F5 are CSI [ A ... E.
        if pending[2] == UInt8(ascii: "[") {
            if pending.count == 4 { take((0x41...0x45).contains(last) ? "F\(last - 0x40)" : nil, &events) }
            return
        }
        // A mouse report of the old kind: three bytes after CSI M. We asked for none.
        if pending[2] == UInt8(ascii: "M") {
            if pending.count == 6 { take(nil, &events) }
            return
        }
        switch last {
        case 0x40...0x7e:
            let sequence = ControlSequence(pending.dropFirst(2))
            if let answer = sequence.answer { events.append(.answer(answer)) }
            take(sequence.key, &events)
        case 0x20...0x3f where pending.count < Self.maximumLength: break
        case 0x1b:
            // Cut off by the next one.
            pending = [0x1b]
        default: take(nil, &events)
        }
    }

    private mutating func string(_ events: inout [Event]) {
        guard pending.count > 2, let last = pending.last else { return }
        let ends = last == 0x07 && pending[1] == UInt8(ascii: "]") || last == 0x5c && pending[pending.count - 2] == 0x1b
        if ends {
            let body = String(decoding: pending.dropFirst(2).dropLast(last == 0x07 ? 1 : 2), as: UTF8.self)
            if pending[1] == UInt8(ascii: "_"), body.hasPrefix("Gi=31") {
                events.append(.answer(.kittyGraphics(body.hasSuffix(";OK"))))
            }
            pending.removeAll(keepingCapacity: true)
        } else if pending.count >= Self.maximumLength {
            isSkippingString = true
            pending = [last]
        }
    }

    private mutating func skip() {
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
