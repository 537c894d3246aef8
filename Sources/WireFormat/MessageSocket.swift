import CLinux
import Glibc
import SystemCalls

/// A connected socket that preserves message boundaries and passes descriptors (`SOCK_SEQPACKET`). Never blocks.
package final class MessageSocket: Sendable {
    /// The connected socket.
    private let descriptor: FileDescriptor
    /// The descriptor number of the socket, for polling.
    package var raw: Int32 { descriptor.raw }

    /// The maximum size of a received message, in bytes.
    private let messageLimit: Int

    /// Takes ownership of a connected `SOCK_SEQPACKET` socket and makes it non-blocking.
    ///
    /// - Parameter messageLimit: The maximum size of a received message, in bytes. A peer that sends a longer message
    ///   counts as disconnected.
    package init(
        _ descriptor: consuming FileDescriptor, messageLimit: Int = WireLimits.messageBytes
    ) throws(SystemCallError) {
        try descriptor.setNonBlocking(true)
        self.descriptor = descriptor
        self.messageLimit = messageLimit
    }

    /// A received message with its file descriptors.
    package struct ReceivedMessage: Sendable {
        /// The encoded message.
        package let bytes: [UInt8]
        /// The received file descriptors, in the order in which the peer sent them.
        package let descriptors: [SharedDescriptor]
        package init(bytes: [UInt8], descriptors: [SharedDescriptor]) {
            self.bytes = bytes
            self.descriptors = descriptors
        }
    }

    /// The outcome of one attempt to receive a message.
    package enum ReceiveResult: Sendable {
        /// A complete message.
        case message(ReceivedMessage)
        /// No message is available now.
        case nothing
        /// The peer closed the connection or exceeded ``WireLimits``, or the socket failed.
        case closed
    }

    /// Sends one complete message.
    ///
    /// - Throws: ``SystemCallError``, for example if the peer has left so many messages unread that the buffer is full;
    ///   close the connection to such a peer.
    package func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws(SystemCallError) {
        try systemCall("sendmsg") {
            bytes.withUnsafeBytes {
                clinux_send_with_fds(raw, $0.baseAddress, $0.count, descriptors, descriptors.count, Int32(MSG_DONTWAIT))
            }
        }
    }

    /// Receives the next message, if one is available. Never blocks.
    package func receive() -> ReceiveResult {
        do throws(SystemCallError) {
            return try receiveOnce()
        } catch {
            if error.number == EAGAIN { return .nothing }
            // ECONNRESET: the peer closed the connection with unread messages. The kernel reports this error once,
            // before it delivers the messages that the peer had sent; so receive again.
            guard error.number == ECONNRESET else { return .closed }
            return (try? receiveOnce()) ?? .closed
        }
    }

    /// Calls `recvmsg` once; returns `.closed` for the end of the stream and for a truncated message.
    private func receiveOnce() throws(SystemCallError) -> ReceiveResult {
        var descriptors = [Int32](repeating: -1, count: WireLimits.descriptorCount)
        var descriptorCount = 0
        var truncationFlag: Int32 = 0
        var failure: SystemCallError?
        let bytes = [UInt8](unsafeUninitializedCapacity: messageLimit) { buffer, initialisedCount in
            do throws(SystemCallError) {
                initialisedCount = try systemCall("recvmsg") {
                    clinux_receive_with_fds(
                        raw, buffer.baseAddress, min(buffer.count, messageLimit), &descriptors, &descriptorCount,
                        &truncationFlag,
                        Int32(MSG_DONTWAIT))
                }
            } catch {
                failure = error
                initialisedCount = 0
            }
        }
        let received = descriptors.prefix(descriptorCount).map { SharedDescriptor(FileDescriptor(owning: $0)) }
        if let failure { throw failure }
        guard !bytes.isEmpty, truncationFlag == 0 else { return .closed }
        return .message(ReceivedMessage(bytes: bytes, descriptors: received))
    }

    /// Sets the size of the buffer for messages that the peer has not read, in bytes. The kernel limits it
    /// (`net.core.wmem_max`).
    package func setSendBuffer(_ size: Int32) throws(SystemCallError) {
        try systemCall("setsockopt") { clinux_set_send_buffer(raw, size) }
    }

    /// Shuts the connection down at once for both ends, even if other references to this object exist.
    package func shutdown() { _ = Glibc.shutdown(raw, Int32(SHUT_RDWR)) }

    /// The process and the user at the other end of the connection; nil if the kernel does not report them.
    package var peer: (processID: Int32, userID: UInt32)? {
        var process: Int32 = 0, user: UInt32 = 0
        return clinux_peer_credentials(raw, &process, &user) == 0 ? (process, user) : nil
    }

    /// Returns two sockets that are connected to each other and receive messages of at most `messageLimit` bytes.
    package static func pair(
        messageLimit: Int = WireLimits.messageBytes
    ) throws(SystemCallError) -> (MessageSocket, MessageSocket) {
        var socketNumbers: [Int32] = [-1, -1]
        try systemCall("socketpair") {
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &socketNumbers)
        }
        let firstSocket = FileDescriptor(owning: socketNumbers[0]),
            secondSocket = FileDescriptor(owning: socketNumbers[1])
        return (
            try MessageSocket(firstSocket, messageLimit: messageLimit),
            try MessageSocket(secondSocket, messageLimit: messageLimit)
        )
    }
}
