import BackgroundProtocol
import SharedFrames
import SwiftPlayKit

/// The contents of a program's tile in the window of the overview. A pure value.
struct OverviewTile: Equatable, Sendable {
    /// A row about a transfer.
    struct Transfer: Equatable, Sendable {
        /// The name of the transfer, and its bytes or the reason why it waits.
        var name: String, detail: String
        /// The loaded share, 0 to 1; nil if the length is unknown.
        var share: Double?
    }

    /// The largest number of rows about transfers.
    static let transferLimit = 2

    /// The name or identifier of the program.
    let program: String
    /// The lines below the picture: the title, or the name of a program without a picture; the name; the state.
    let lines: [String]
    /// The age of the picture; empty without a picture.
    let age: String
    /// The picture; nil if ``placeholder`` stands for it.
    let snapshot: Snapshot?
    /// The text that stands for the picture.
    let placeholder: String
    /// Whether the program has a floating window, and whether it is audible.
    let isFloating: Bool, isAudible: Bool
    /// The first transfers.
    let transfers: [Transfer]
    /// The text about further transfers; empty if there are none.
    let furtherTransfers: String
    /// Whether the program is being ended.
    let isClosing: Bool

    /// Creates the tile of a program.
    init(_ entry: OverviewEntry, isClosing: Bool = false) {
        program = entry.program
        var title = ""
        (snapshot, age, placeholder) =
            switch entry.picture {
            case .snapshot(let snapshot, let age): (snapshot, Self.age(age), "")
            case .none: (nil, "", "no picture")
            default: (nil, "", OverviewText.text(of: entry.picture))
            }
        if let snapshot { title = snapshot.texts.title }
        let states = isClosing ? "is being closed" : OverviewText.states(of: entry).joined(separator: ", ")
        lines = title.isEmpty ? [entry.program, states] : [title, entry.program, states]
        (isFloating, isAudible, self.isClosing) = (entry.isFloating, entry.isAudible, isClosing)
        let hasRest = entry.transfers.count > Self.transferLimit
        transfers = entry.transfers.prefix(hasRest ? Self.transferLimit - 1 : Self.transferLimit).map(Transfer.init)
        furtherTransfers = hasRest ? "and \(entry.transfers.count - transfers.count) more transfers" : ""
    }

    /// The number of rows about transfers.
    var rowCount: Int { transfers.count + (furtherTransfers.isEmpty ? 0 : 1) }

    static func == (one: Self, other: Self) -> Bool {
        // Two pictures of one program differ in their times of writing; comparing all pixels would take too long.
        one.program == other.program && one.lines == other.lines && one.age == other.age
            && one.snapshot?.version == other.snapshot?.version && one.placeholder == other.placeholder
            && one.isFloating == other.isFloating && one.isAudible == other.isAudible
            && one.transfers == other.transfers && one.furtherTransfers == other.furtherTransfers
            && one.isClosing == other.isClosing
    }

    // MARK: Age

    /// Returns the age of a picture in whole minutes, hours or days.
    static func age(_ seconds: Int64) -> String { seconds < 60 ? "just now" : OverviewText.age(seconds) + " ago" }

    /// Returns the number of seconds after which ``age(_:)`` returns another text.
    static func timeToNextAge(_ seconds: Int64) -> Int64 {
        let unit: Int64 = seconds < 3600 ? 60 : seconds < 86_400 ? 3600 : 86_400
        return unit - max(0, seconds) % unit
    }
}

extension OverviewTile.Transfer {
    init(_ transfer: TaskSnapshot) {
        name = TransferText.printable(TransferText.name(of: transfer))
        detail =
            switch transfer.activity.phase {
            case .running: TransferText.bytes(of: transfer)
            case .waiting: TransferText.printable(Self.textWithoutDelay(transfer.activity.text))
            default: TransferText.printable(transfer.activity.text)
            }
        share = TransferText.share(of: transfer)
    }

    /// Returns the reason of a wait without the remaining time, which would change each second.
    private static func textWithoutDelay(_ text: String) -> String {
        text.ranges(of: " in ").last.map { String(text[..<$0.lowerBound]) } ?? text
    }
}
