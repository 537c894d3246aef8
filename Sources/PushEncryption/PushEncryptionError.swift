/// The reason why a message cannot be decrypted, or keys cannot be used.
package enum PushEncryptionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message has a length, in bytes, that no encrypted message has.
    case invalidLength(Int)
    /// The size of records in the header is below ``PushRecord/minimumSize``.
    case invalidRecordSize(UInt32)
    /// The key of the sender in the header has a length, in bytes, that no key has.
    case invalidKeyLength(Int)
    /// The message has more than one record.
    case severalRecords
    /// The key of the sender is not an uncompressed point on the curve P-256.
    case invalidSenderKey
    /// The message was encrypted for other keys, or was changed.
    case notAuthentic
    /// The padding of the decrypted record is not valid.
    case invalidPadding
    /// A file of keys is damaged.
    case damagedKeys
    /// A function of OpenSSL has failed.
    case library(function: String)

    package var description: String {
        switch self {
        case .invalidLength(let count):
            "the message has \(count) bytes instead of \(PushRecord.bodyBytes.lowerBound) to "
                + "\(PushRecord.bodyBytes.upperBound); the server must encrypt it (RFC 8291)"
        case .invalidRecordSize(let size):
            "the record size \(size) is below \(PushRecord.minimumSize); the server must follow RFC 8188"
        case .invalidKeyLength(let count):
            "the key of the sender has \(count) bytes instead of \(PushKeys.publicKeyBytes); the server must encrypt "
                + "the message (RFC 8291)"
        case .severalRecords: "the message has more than one record; the server must send a single one (RFC 8291)"
        case .invalidSenderKey: "the key of the sender is not on the curve P-256; the server must follow RFC 8291"
        case .notAuthentic:
            "the message was encrypted for other keys or was changed; send the server the current keys of the program"
        case .invalidPadding: "the padding of the message is not valid; the server must follow RFC 8188"
        case .damagedKeys: "the keys are damaged; restore them from a copy, or create new ones"
        case .library(let function): "\(function) of OpenSSL has failed; check the installation of libcrypto"
        }
    }
}

/// Throws unless a function of OpenSSL has succeeded, which positive numbers report.
func check(_ function: String, _ result: Int32) throws(PushEncryptionError) {
    guard result > 0 else { throw .library(function: function) }
}

/// Returns the handle that a function of OpenSSL has created.
func created(_ function: String, _ handle: OpaquePointer?) throws(PushEncryptionError) -> OpaquePointer {
    guard let handle else { throw .library(function: function) }
    return handle
}
