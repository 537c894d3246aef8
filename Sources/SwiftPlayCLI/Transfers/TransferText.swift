import BackgroundProtocol

/// The text of transfers for users.
enum TransferText {
    /// Returns the table of transfers, with the reason if a transfer waits.
    static func table(of transfers: [TaskSnapshot]) -> String {
        guard !transfers.isEmpty else { return "no transfers\n" }
        return TextTable.text(of: [["ID", "PROGRAM", "FILE", "BYTES", "STATE"]] + transfers.map(row))
    }

    /// Returns the cells of the row of one transfer.
    private static func row(_ transfer: TaskSnapshot) -> [String] {
        var state = state(of: transfer)
        if !transfer.bytes.isResumable, !transfer.activity.phase.isTerminal { state += " (cannot be continued)" }
        return [
            "\(transfer.id)", printable(transfer.program), printable(name(of: transfer)), bytes(of: transfer), state,
        ]
    }

    /// Parts of the reasons why a file in place of a stream fails: it is no playlist, or larger than a playlist may be.
    private static let playlistFaults = ["the text is not a playlist", " are permitted", " more than the permitted "]

    /// Returns what a transfer does, with the reason if it waits or has failed. If an option of `swiftplay download`
    /// states that the address of a file is that of a stream, the text names these options.
    static func state(of transfer: TaskSnapshot) -> String {
        let text = transfer.activity.text
        guard transfer.activity.phase == .failed, TransferClient.isDownload(transfer),
            !StreamOptions.isPlaylist(transfer.address), playlistFaults.contains(where: { text.contains($0) })
        else { return text }
        return text + "; for a file, omit --stream, --quality, --audio-language and --subtitle-language"
    }

    /// Returns the name of a transfer: its file, or the path of its address without query.
    static func name(of transfer: TaskSnapshot) -> String {
        transfer.file.isKept || transfer.description.isEmpty ? transfer.file.name : transfer.description
    }

    /// Returns the received and the whole number of bytes, such as `12 % of 64.0 MiB`; for a stream, the share of its
    /// duration and the received bytes, such as `12 %, 8.0 MiB`.
    static func bytes(of transfer: TaskSnapshot) -> String {
        if let package = transfer.package, package.total > 0 {
            let percent = Int(Double(min(package.loaded, package.total)) / Double(package.total) * 100)
            return "\(percent) %, \(size(transfer.bytes.done))"
        }
        guard let total = transfer.bytes.total, total > 0 else {
            return transfer.bytes.done == 0 ? "-" : size(transfer.bytes.done)
        }
        let percent = Int(Double(min(transfer.bytes.done, total)) / Double(total) * 100)
        return "\(percent) % of \(size(total))"
    }

    /// Returns a number of bytes with a binary unit.
    static func size(_ bytes: Int64) -> String {
        var value = Double(max(0, bytes)), unit = "B"
        for larger in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 {
            value /= 1024
            unit = larger
        }
        if unit == "B" { return "\(Int(value)) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }

    /// Returns the line of one transfer while its progress is watched.
    ///
    /// - Parameter columns: The width of the terminal.
    static func line(of transfer: TaskSnapshot, rate: Int64?, columns: Int) -> String {
        var end = bytes(of: transfer)
        switch transfer.activity.phase {
        case .running: if let rate { end += "  \(size(rate))/s" }
        case .finished: end = "done, \(size(max(transfer.bytes.done, transfer.bytes.total ?? 0)))"
        case .suspended, .waiting, .failed, .cancelled: end += "  " + state(of: transfer)
        }
        let bar = share(of: transfer).map(Self.bar) ?? ""
        let rest = columns - bar.count - end.count - 4
        let name = printable(name(of: transfer))
        let shownName = name.count <= max(8, rest) ? name : String(name.prefix(max(8, rest) - 1)) + "…"
        return String("\(shownName)  \(bar)  \(end)".prefix(max(1, columns)))
    }

    /// Returns the loaded share of a transfer, 0 to 1; nil if its length is unknown.
    static func share(of transfer: TaskSnapshot) -> Double? {
        let (done, total) =
            if let package = transfer.package, package.total > 0 { (package.loaded, package.total) } else {
                (transfer.bytes.done, transfer.bytes.total ?? -1)
            }
        guard total >= 0 else { return nil }
        return total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
    }

    /// Returns a bar of 20 characters.
    private static func bar(_ share: Double) -> String {
        let filled = Int(share * 20)
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled) + "]"
    }

    /// Returns a text of a server or another program without control characters, which could change the terminal.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}
