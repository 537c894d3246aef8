/// The lines of an HLS multivariant (master) playlist. Pure.
struct MasterPlaylist: Sendable {
    private let lines: [ArraySlice<UInt8>]
    /// The line numbers of each variant's tag and address.
    private let variants: [(tag: Int, address: Int)]

    /// The maximum number of variants that are tried one by one.
    private static let limit = 16

    /// Parses a playlist; nil if it is not a multivariant playlist or has fewer than two variants.
    init?(_ bytes: [UInt8]) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard bytes[start...].starts(with: "#EXTM3U".utf8) else { return nil }
        lines = bytes[start...].split(whereSeparator: { $0 == 10 || $0 == 13 })
        var variants: [(tag: Int, address: Int)] = []
        var tag: Int?
        for (number, line) in lines.enumerated() {
            if line.starts(with: "#EXT-X-STREAM-INF:".utf8) {
                tag = number
            } else if line.first != UInt8(ascii: "#"), let own = tag.take() {
                variants.append((own, number))
            }
        }
        guard (2...Self.limit).contains(variants.count) else { return nil }
        self.variants = variants
    }

    var count: Int { variants.count }

    /// Returns the playlist with only the given variants.
    func keeping(_ kept: [Int]) -> [UInt8] {
        let gone = Set(
            variants.indices.filter { !kept.contains($0) }.flatMap { [variants[$0].tag, variants[$0].address] })
        return Array(lines.indices.filter { !gone.contains($0) }.map { lines[$0] }.joined(separator: [10])) + [10]
    }
}
