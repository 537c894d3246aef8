/// The lines of an HLS multivariant (master) playlist, from which variants can be removed. A pure value.
struct MasterPlaylist: Sendable {
    /// The lines of the playlist that are not empty.
    private let lines: [ArraySlice<UInt8>]
    /// The indices in ``lines`` of each variant's tag and address.
    private let variants: [(tag: Int, address: Int)]

    /// The maximum number of variants. Each variant is opened once to find the unreadable ones.
    private static let variantLimit = 16

    /// Parses a playlist; nil unless it is a multivariant playlist with 2 to 16 variants.
    init?(_ bytes: [UInt8]) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard bytes[start...].starts(with: "#EXTM3U".utf8) else { return nil }
        lines = bytes[start...].split(whereSeparator: { $0 == 10 || $0 == 13 })
        var variants: [(tag: Int, address: Int)] = []
        var pendingTagLine: Int?
        for (number, line) in lines.enumerated() {
            if line.starts(with: "#EXT-X-STREAM-INF:".utf8) {
                pendingTagLine = number
            } else if line.first != UInt8(ascii: "#"), let tagLine = pendingTagLine.take() {
                variants.append((tagLine, number))
            }
        }
        guard (2...Self.variantLimit).contains(variants.count) else { return nil }
        self.variants = variants
    }

    /// The number of variants.
    var count: Int { variants.count }

    /// Returns the text of the playlist with only the variants at the given indices.
    func keeping(_ keptIndices: [Int]) -> [UInt8] {
        let removedLines = Set(
            variants.indices.filter { !keptIndices.contains($0) }.flatMap { [variants[$0].tag, variants[$0].address] })
        let keptLines = lines.indices.filter { !removedLines.contains($0) }.map { lines[$0] }
        return Array(keptLines.joined(separator: [10])) + [10]
    }
}
