/// The parts of an encrypted message: a header, and one record (RFC 8188, section 2; RFC 8291, section 4).
struct PushRecord: Equatable {
    /// The smallest size of records that a header may state, in bytes.
    static let minimumSize: UInt32 = 18
    /// The sizes of the parts of a header, in bytes.
    static let saltBytes = 16, sizeBytes = 4, headerBytes = saltBytes + sizeBytes + 1 + PushKeys.publicKeyBytes
    /// The sizes of a whole message, in bytes. The smallest record has an empty text, the delimiter and the tag.
    static let bodyBytes = headerBytes + 1 + MessageCipher.tagBytes...4096

    let salt: [UInt8]
    /// The public key of the sender.
    let senderKey: [UInt8]
    /// The encrypted text, its padding and the authentication tag.
    let content: [UInt8]

    /// Reads a message.
    init(_ body: [UInt8]) throws(PushEncryptionError) {
        guard Self.bodyBytes.contains(body.count) else { throw .invalidLength(body.count) }
        let (sizeStart, sizeEnd) = (Self.saltBytes, Self.saltBytes + Self.sizeBytes)
        salt = Array(body[..<sizeStart])
        // The numbers of RFC 8188 have their most significant byte first.
        let size = body[sizeStart..<sizeEnd].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard size >= Self.minimumSize else { throw .invalidRecordSize(size) }
        let keyBytes = Int(body[sizeEnd])
        guard keyBytes == PushKeys.publicKeyBytes else { throw .invalidKeyLength(keyBytes) }
        senderKey = Array(body[(sizeEnd + 1)..<Self.headerBytes])
        content = Array(body[Self.headerBytes...])
        guard content.count <= size else { throw .severalRecords }
    }

    /// Returns the text of a decrypted record without its padding: the delimiter 2 of a last record, and zeros.
    static func text(of record: [UInt8]) throws(PushEncryptionError) -> [UInt8] {
        guard let end = record.lastIndex(where: { $0 != 0 }), record[end] == 2 else { throw .invalidPadding }
        return Array(record[..<end])
    }
}
