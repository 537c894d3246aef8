import BackgroundProtocol
import Glibc
import SystemCalls

/// The files of an order, which the ledger has opened.
struct TransferFiles {
    /// The part file.
    var part: PartFile
    /// The file for an error page; nil if there is none.
    var errorPage: PartFile?
    /// The file to upload; nil if there is none.
    let upload: SharedDescriptor?
    /// Certificates (PEM) that are trusted beside those of the system; nil if there are none.
    let trustedRoots: [UInt8]?

    /// The maximum size of the certificates, in bytes.
    private static let rootsLimit = 1 << 20

    /// Assigns descriptors to their purposes, in the order of ``TransferOrder/Descriptors``.
    ///
    /// - Throws: ``EngineFailure`` if descriptors are missing, or if a file cannot be used.
    init(_ order: TransferOrder, _ descriptors: [SharedDescriptor]) throws(EngineFailure) {
        guard descriptors.count == order.descriptors.count, order.descriptors.contains(.part) else {
            throw EngineFailure(.engine, "the order has not the descriptors that it lists")
        }
        var rest = descriptors[...]
        let partDescriptor = rest.removeFirst()
        do throws(SystemCallError) {
            part = try PartFile(partDescriptor, length: order.held.length)
            errorPage = order.descriptors.contains(.errorPage) ? try PartFile(rest.removeFirst(), length: 0) : nil
        } catch {
            throw EngineFailure(.disk, "the part file cannot be used: \(error)", code: error.number)
        }
        upload = order.descriptors.contains(.upload) ? rest.removeFirst() : nil
        trustedRoots = order.descriptors.contains(.trustedRoots) ? try Self.roots(rest.removeFirst()) : nil
    }

    /// Reads certificates.
    private static func roots(_ descriptor: SharedDescriptor) throws(EngineFailure) -> [UInt8] {
        do throws(SystemCallError) {
            guard let size = try descriptor.fileDescriptor.regularFileSize(), (1...rootsLimit).contains(size) else {
                throw SystemCallError(call: "the file of certificates is empty or too large", number: EINVAL)
            }
            return try descriptor.fileDescriptor.bytes(at: 0, count: size)
        } catch { throw EngineFailure(.engine, "the certificates of the program cannot be read: \(error)") }
    }
}
