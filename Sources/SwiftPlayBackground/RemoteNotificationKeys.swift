import FoundationEssentials
import PushEncryption

/// The keys with which the server of the program encrypts notifications (Web Push, RFC 8291), so that neither push
/// servers nor distributors can read or forge them.
///
/// The keys remain the same as long as their file exists. Send ``publicKey`` and ``authenticationSecret`` to the server
/// with the endpoint.
public struct RemoteNotificationKeys: Sendable {
    /// The public key: an uncompressed point of the curve P-256, 65 bytes. Libraries for Web Push call it `p256dh`.
    public var publicKey: Data { Data(keys.publicKey) }
    /// A secret of 16 bytes that only the program and its server know. Libraries for Web Push call it `auth`.
    public var authenticationSecret: Data { Data(keys.authenticationSecret) }
    /// The keys with the private part.
    let keys: PushKeys

    /// Reads keys from a file, or creates keys and the file with access for the user only.
    ///
    /// - Parameter file: The file, which must remain secret. Missing folders are created.
    /// - Throws: ``RemoteNotificationError`` with the code ``RemoteNotificationError/Code/unusableKeys`` if the file is
    ///   damaged, or cannot be read or created. A damaged file is not replaced.
    public init(storedAt file: URL) throws(RemoteNotificationError) {
        guard file.isFileURL else {
            throw RemoteNotificationError(
                code: .unusableKeys, description: "\(file) is not a file; name a file for the keys of notifications")
        }
        keys = try KeyFile(file.absoluteURL).keys()
    }
}
