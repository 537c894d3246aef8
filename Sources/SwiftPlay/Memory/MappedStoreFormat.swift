import SystemCalls

/// The offsets of all parts of a store's file. All numbers in the file are little-endian.
///
///     0      header
///     4096   copy of the header
///     8192   a record for each slot: the key, and the checksums of picture and record
///     …      the last use of each slot
///     …      slots, each at the start of a page
struct MappedStoreFormat: Equatable {
    /// The version of the format. A file of another version is replaced.
    static let version: UInt64 = 1
    /// The first word of a file: "SwPlTab" and a line feed.
    static let magic: UInt64 = 0x0A62_6154_6C50_7753
    /// The offsets of the two headers.
    static let headerOffsets = [0, 4096]
    /// The offset of the first record.
    static let recordsOffset = 8192
    /// The largest number of slots. The search for the slot to reuse reads each slot, under the lock.
    static let maximumSlotCount = 32_768

    /// The size and format of the pictures.
    let layout: MappedStore.Layout
    /// The number of slots of a full file.
    let slotCount: Int

    /// Creates the format with as many slots as a file of `byteLimit` bytes has room for; nil if it has room for none.
    init?(layout: MappedStore.Layout, byteLimit: Int) {
        self.layout = layout
        let bytesPerSlot = MemoryPages.roundUp(layout.byteCount) + MappedStoreRecord.size + MemoryLayout<UInt64>.size
        let fixedByteCount = Self.recordsOffset + MemoryPages.size
        slotCount = min(max(0, byteLimit - fixedByteCount) / bytesPerSlot, Self.maximumSlotCount)
        if slotCount == 0 { return nil }
    }

    /// The number of bytes from one slot to the next, a multiple of the page size.
    var slotSize: Int { MemoryPages.roundUp(layout.byteCount) }
    /// The offset of the numbers of the slots' last uses.
    var usesOffset: Int { Self.recordsOffset + slotCount * MappedStoreRecord.size }
    /// The offset of the first slot.
    var slotsOffset: Int { MemoryPages.roundUp(usesOffset + slotCount * MemoryLayout<UInt64>.size) }
    /// The size of a full file.
    var fileSize: Int { slotsOffset + slotCount * slotSize }

    /// Returns the offset of a slot's record.
    func recordOffset(_ slot: Int) -> Int { Self.recordsOffset + slot * MappedStoreRecord.size }
    /// Returns the offset of a slot's picture.
    func slotOffset(_ slot: Int) -> Int { slotsOffset + slot * slotSize }
    /// Returns the number of slots whose pictures lie completely within a file of `size` bytes.
    func slotCount(inFileOf size: Int) -> Int {
        // Only the bytes of the picture count: the rest of the last slot's last page need not exist.
        let paddingByteCount = slotSize - layout.byteCount
        return min(slotCount, max(0, size + paddingByteCount - slotsOffset) / slotSize)
    }

    /// The header of a file in this format.
    var header: [UInt64] {
        var format = layout.pixelFormat.rawValue
        let formatHash = format.withUTF8 { XXHash64.hash(UnsafeRawBufferPointer($0), seed: 0) }
        let dimensions = [layout.width, layout.height, layout.bytesPerRow, MemoryPages.size, slotCount]
        let words = [Self.magic, Self.version, formatHash] + dimensions.map { UInt64($0) }
        return (words + [words.withUnsafeBytes { XXHash64.hash($0, seed: 0) }]).map(\.littleEndian)
    }
}

/// The key of a picture in a store: a hash value of 128 bits. The store assumes that no two keys of a program have the
/// same hash value.
struct MappedStoreKey: Hashable, Sendable {
    /// The high 64 bits of the hash value.
    let high: UInt64
    /// The low 64 bits of the hash value.
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Creates the key by hashing the text that the program uses as the key.
    init(_ key: String) {
        var key = key
        (high, low) = key.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            return (XXHash64.hash(bytes, seed: 1), XXHash64.hash(bytes, seed: 2))
        }
    }

    /// Returns the checksum of a picture. The checksum depends on the key, so that a picture is invalid under another
    /// key.
    func checksum(of picture: UnsafeRawBufferPointer) -> UInt64 { XXHash64.hash(picture, seed: high ^ low) }
}

/// The record of a slot in the file: the key and the checksum of the picture that the slot holds.
struct MappedStoreRecord: Equatable {
    /// The number of bytes of a record.
    static let size = 32

    /// The key of the picture.
    let key: MappedStoreKey
    /// The checksum of the picture.
    let checksum: UInt64

    init(key: MappedStoreKey, checksum: UInt64) { (self.key, self.checksum) = (key, checksum) }

    /// Returns the words of the record in the file. The last word is a checksum of the first three words and the number
    /// of the slot.
    func words(slot: Int) -> [UInt64] {
        let words = [key.high, key.low, checksum].map(\.littleEndian)
        return words + [Self.checksum(of: words, slot: slot).littleEndian]
    }

    /// Reads the record of a slot; nil if the slot is empty or the record is damaged.
    ///
    /// - Parameter bytes: The bytes of the record.
    init?(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        let content = UnsafeRawBufferPointer(rebasing: bytes[0..<24])
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard word(24) == XXHash64.hash(content, seed: Self.seed(slot: slot)) else { return nil }
        self.init(key: MappedStoreKey(high: word(0), low: word(8)), checksum: word(16))
    }

    /// Returns the checksum of the first words of a record.
    private static func checksum(of words: [UInt64], slot: Int) -> UInt64 {
        words.withUnsafeBytes { XXHash64.hash($0, seed: seed(slot: slot)) }
    }

    /// Returns the seed of the checksum, by which a record is valid in its own slot only.
    private static func seed(slot: Int) -> UInt64 { UInt64(slot) + 1 }
}
