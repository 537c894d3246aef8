/// The reason why a transfer failed for good.
package enum TransferFailure: Hashable, Sendable {
    /// The resource timeout passed: the time limit of the whole transfer with all attempts.
    case resourceTimeout
    /// The server sent replies that are not valid, several times in a row.
    case badServerResponse
    /// The server redirected too often, or in a loop.
    case tooManyRedirects
    /// A redirect led to an address that is not permitted, such as from https to http.
    case redirectRefused
    /// The address is not valid, or is neither http nor https.
    case unsupportedURL
    /// The server's certificate was refused.
    case certificate
    /// The digest of the received file is not the declared one.
    case digestMismatch
    /// The declared length exceeds the size of the disk or the limit of the program.
    case tooLarge
    /// The directory of the part file was replaced or removed.
    case directoryChanged
    /// The file of an upload cannot be read.
    case unreadableFile
    /// The stream cannot be downloaded: it is live, protected, damaged or too large.
    case unsupportedStream
    /// The file cannot be created or renamed; the number is the system's error number.
    case cannotWrite(errorNumber: Int32)

    /// The number of the error in Apple's `NSURLErrorDomain`, which programs know.
    package var urlErrorCode: Int {
        switch self {
        case .resourceTimeout: -1001
        case .badServerResponse: -1011
        case .tooManyRedirects: -1007
        case .redirectRefused: -1010
        case .unsupportedURL: -1002
        case .certificate: -1202
        case .digestMismatch: -1015
        case .tooLarge: -1103
        case .directoryChanged: -3000
        case .unreadableFile: -1102
        case .unsupportedStream: -1016
        case .cannotWrite: -3003
        }
    }

    /// The text of a listing and of the program's error, in one line.
    package var text: String {
        switch self {
        case .resourceTimeout: "the time limit of the transfer has passed"
        case .badServerResponse: "the server sent replies that are not valid"
        case .tooManyRedirects: "the server redirects too often, or in a loop"
        case .redirectRefused: "the server redirects to an address that is not permitted"
        case .unsupportedURL: "the address is not a valid http or https address"
        case .certificate: "the certificate of the server was refused"
        case .digestMismatch: "the received file does not have the declared digest"
        case .tooLarge: "the file is larger than the disk or the program's limit"
        case .directoryChanged: "the directory of the file was replaced or removed"
        case .unreadableFile: "the file to upload cannot be read"
        case .unsupportedStream: "the stream cannot be downloaded"
        case .cannotWrite(let errorNumber): "the file cannot be written: \(DiskErrorText.text(errorNumber))"
        }
    }
}
