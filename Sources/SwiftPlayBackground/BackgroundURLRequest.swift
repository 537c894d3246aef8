import BackgroundProtocol
import FoundationEssentials

/// A request of a background transfer.
public struct BackgroundURLRequest: Sendable, Equatable {
    /// The address, with the scheme `http` or `https`.
    public var url: URL
    /// The method.
    public var httpMethod = "GET"
    /// The header fields. They are stored outside the record of transfers, are not logged, and are not sent to another
    /// server after a redirect.
    public private(set) var allHTTPHeaderFields: [String: String] = [:]
    /// The SHA-256 digest that the downloaded file must have, 32 bytes; nil to accept any content.
    ///
    /// A file with another digest never reaches the delegate: the download fails with the error -1015. The page of an
    /// error status, such as 404, is not compared.
    public var expectedSHA256: Data?

    /// Creates a request with the method GET.
    public init(url: URL) { self.url = url }

    /// Sets or, with nil, removes a header field. The case of letters in names does not matter.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        for name in allHTTPHeaderFields.keys where name.lowercased() == field.lowercased() {
            allHTTPHeaderFields[name] = nil
        }
        if let value { allHTTPHeaderFields[field] = value }
    }

    /// Returns the value of a header field.
    public func value(forHTTPHeaderField field: String) -> String? {
        allHTTPHeaderFields.first { $0.key.lowercased() == field.lowercased() }?.value
    }

    /// Returns the request for the service.
    func wireRequest(_ configuration: BackgroundURLSessionConfiguration) -> TransferRequest {
        var request = self
        for (name, value) in configuration.httpAdditionalHeaders where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        let fields = request.allHTTPHeaderFields.sorted { $0.key < $1.key }
        return TransferRequest(
            address: url.absoluteString, method: httpMethod,
            fields: fields.map { HeaderField($0.key, $0.value, isSecret: true) },
            allowsInsecureHTTP: configuration.allowsInsecureHTTPLoads)
    }
}

/// The response of a server to a background transfer.
public struct BackgroundURLResponse: Sendable, Equatable {
    /// The address of the request.
    public let url: URL?
    /// The status code of HTTP. A transfer with an error page, such as one with status 404, finishes like any other:
    /// check the status before you use the file.
    public let statusCode: Int
    /// The file name that the server suggests, or the last part of the address.
    public let suggestedFilename: String
    /// The length of the file in bytes; -1 if unknown.
    public let expectedContentLength: Int64
}

/// The failure of a background transfer.
public struct BackgroundURLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The number of the error in Apple's `NSURLErrorDomain`, such as -999 for a cancelled transfer.
    public let code: Int
    /// The failure and, if possible, its remedy.
    public let description: String

    /// Whether the transfer was cancelled.
    public var isCancelled: Bool { code == -999 }

    /// Creates the error of a command that the service has refused.
    init(_ refusal: ClientEvent.Refusal) { (code, description) = (-1, refusal.description) }

    init(code: Int, _ description: String) { (self.code, self.description) = (code, description) }
}
