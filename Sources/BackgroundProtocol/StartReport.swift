/// The result of a start of the service, which it writes to the pipe of the program that has started it. A service that
/// ends because another one listens, or crashes, closes the pipe without a report.
package enum StartReport: Sendable, Equatable {
    /// Programs can connect.
    case listening
    /// The service cannot serve, for a reason that is a message for the user.
    case failed(String)

    /// The maximum size of a report in bytes: one write to a pipe is not split (`PIPE_BUF`).
    package static let byteLimit = 4096
    /// The first byte of the report that programs can connect.
    private static let listeningByte: UInt8 = 1

    /// The report as bytes; a long reason is cut.
    package var bytes: [UInt8] {
        switch self {
        case .listening: [Self.listeningByte]
        case .failed(let reason): Array(reason.utf8.prefix(Self.byteLimit))
        }
    }

    /// Reads a report; nil if there is none.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let first = bytes.first else { return nil }
        self = first == Self.listeningByte ? .listening : .failed(String(decoding: bytes, as: UTF8.self))
    }
}
