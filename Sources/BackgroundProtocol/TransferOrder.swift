import TransferPolicy
import WireFormat

/// An order of the ledger to transfer the content of one address.
///
/// The message carries the descriptors that ``descriptors`` lists.
package struct TransferOrder: Equatable, Sendable {
    /// The descriptors that an order carries, in the order of this list. The engine never opens a file by its path.
    package struct Descriptors: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The part file, which the engine reads and writes. Every order has it.
        package static let part = Descriptors(rawValue: 1)
        /// An empty file for the body of an error page, if the part file must stay as it is.
        package static let errorPage = Descriptors(rawValue: 2)
        /// The file to upload, which the engine only reads.
        package static let upload = Descriptors(rawValue: 4)
        /// A file of certificates (PEM) that are trusted beside those of the system, which the engine only reads.
        package static let trustedRoots = Descriptors(rawValue: 8)

        /// All descriptors that this build knows.
        static let known: Descriptors = [.part, .errorPage, .upload, .trustedRoots]

        /// The number of descriptors.
        package var count: Int { rawValue.nonzeroBitCount }
    }

    /// The number of the transfer, which the ledger assigns; never reused while the engine runs.
    package var transfer: UInt64
    /// The request.
    package var request: TransferRequest
    /// The content in the part file.
    package var held: HeldContent
    /// The limits of the transfer.
    package var limits: TransferLimits
    /// The quirks that were observed at the host of the address.
    package var quirks: HostQuirks
    /// Whether the transfer yields to other traffic, because no user waits for it.
    package var isDiscretionary: Bool
    /// The descriptors that the message carries.
    package var descriptors: Descriptors
    /// The digest that the whole content must have; nil if any content is accepted.
    package var digest: ContentDigest?

    /// Creates an order.
    package init(
        transfer: UInt64, request: TransferRequest, held: HeldContent = HeldContent(),
        limits: TransferLimits = TransferLimits(), quirks: HostQuirks = [], isDiscretionary: Bool = false,
        descriptors: Descriptors = .part
    ) {
        (self.transfer, self.request, self.held, self.limits) = (transfer, request, held, limits)
        (self.quirks, self.isDiscretionary, self.descriptors) = (quirks, isDiscretionary, descriptors)
    }

    /// The fault of the order; nil if it can be sent.
    package var fault: String? {
        if !descriptors.contains(.part) { return "an order has no part file" }
        return request.fault ?? held.fault ?? limits.fault
    }
}

/// The request of a transfer.
package struct TransferRequest: Equatable, Sendable {
    /// The address. Requests always start at this address, because the targets of redirects may expire.
    package var address: String
    /// The method, such as `GET` or `PUT`.
    package var method: String
    /// The header fields that the program set.
    package var fields: [HeaderField]
    /// Whether the address or a redirect may be `http` without encryption.
    package var allowsInsecureHTTP: Bool

    /// Creates a request.
    package init(
        address: String, method: String = "GET", fields: [HeaderField] = [], allowsInsecureHTTP: Bool = false
    ) {
        (self.address, self.method, self.fields) = (address, method, fields)
        self.allowsInsecureHTTP = allowsInsecureHTTP
    }

    /// The fault of the request; nil if it is valid.
    package var fault: String? {
        if address.isEmpty || address.utf8.count > EngineLimits.addressBytes {
            return "the address is empty or has more than \(EngineLimits.addressBytes) bytes"
        }
        if address.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "the address has a control character" }
        if method.isEmpty || method.utf8.count > EngineLimits.methodBytes
            || !method.utf8.allSatisfy(HeaderField.isTokenByte)
        {
            return "the method is not valid"
        }
        return fields.fault
    }
}

extension HeldContent {
    /// The fault of the description; nil if it is valid.
    package var fault: String? {
        if length < 0 { return "the length of a part is negative" }
        if let total, total < length { return "a part is longer than its content" }
        let values = [validators.entityTag, validators.lastModified, validators.date, mediaType]
        if values.contains(where: { ($0?.utf8.count ?? 0) > EngineLimits.valueBytes }) {
            return "a validator is too long"
        }
        return HeaderField("Value", values.compactMap { $0 }.joined()).fault
    }
}

/// The limits of one transfer. Zero stands for no limit.
package struct TransferLimits: Equatable, Sendable {
    /// The number of bytes a second below which the transfer counts as stalled.
    package var lowSpeed: UInt32
    /// The time below ``lowSpeed`` after which the transfer fails with ``EngineFailure/Kind-swift.enum/timeout``, in
    /// milliseconds.
    package var lowSpeedTime: UInt32
    /// The time to connect, in milliseconds.
    package var connectTime: UInt32
    /// The maximum rate, in bytes a second.
    package var rate: UInt64
    /// The maximum length of the content, in bytes.
    package var contentLength: Int64

    /// Creates limits; by default a transfer below 1 KiB/s for 60 s is stalled.
    package init(
        lowSpeed: UInt32 = 1024, lowSpeedTime: UInt32 = 60_000, connectTime: UInt32 = 30_000, rate: UInt64 = 0,
        contentLength: Int64 = 0
    ) {
        (self.lowSpeed, self.lowSpeedTime, self.connectTime) = (lowSpeed, lowSpeedTime, connectTime)
        (self.rate, self.contentLength) = (rate, contentLength)
    }

    /// The fault of the limits; nil if they are valid.
    package var fault: String? { contentLength < 0 ? "the limit of the length is negative" : nil }
}
