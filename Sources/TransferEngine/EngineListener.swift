import BackgroundProtocol
import CCurl
import Glibc
import SystemCalls
import TransferPolicy

/// The endless response of a server, whose lines go to the ledger. Used only by the thread `transfer`.
final class EngineListener: CurlReceiver {
    let order: ListenOrder
    let request: CurlRequest
    private let address: WebAddress
    private let output: EngineOutput
    private var parser = ReplyHeadParser()
    /// The failure that the head of the response or a line has caused.
    private var failure: EngineFailure?
    /// The bytes of the line that has not ended.
    private var line: [UInt8] = []
    /// The host time after which the stream counts as dead, in nanoseconds.
    private(set) var deadline: Int64

    /// Prepares the request.
    ///
    /// - Throws: ``EngineFailure`` if the order cannot be executed.
    init(_ order: ListenOrder, _ output: EngineOutput) throws(EngineFailure) {
        address = try EngineTransfer.address(of: order.request)
        guard let request = CurlRequest() else { throw EngineFailure(.engine, "no memory for a request") }
        (self.order, self.request, self.output) = (order, request, output)
        deadline = Self.deadline(order)
        request.set(CURLOPT_URL, address.text)
        request.setFields(order.request.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" })
        request.setReceiver(self)
    }

    private static func deadline(_ order: ListenOrder) -> Int64 {
        MonotonicTime.now + Int64(order.silence) * MonotonicTime.nanosecondsPerSecond
    }

    func receiveHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch parser.read(line) {
        case .more: return true
        case .malformed: failure = EngineFailure(.badResponse, "the response is malformed")
        case .head(let status, let fields):
            deadline = Self.deadline(order)
            if status == 200 {
                let isTruncated = fields.contains { $0.name.lowercased() == "x-messages-truncated" && $0.value == "1" }
                output.send(.listening(transfer: order.transfer, isTruncated: isTruncated))
                return true
            }
            failure = Self.failure(status: status, fields, host: address.origin.host)
        }
        return false
    }

    /// Returns the failure of a response that is no stream.
    private static func failure(status: Int, _ fields: [ReplyHead.Field], host: String) -> EngineFailure {
        let kind: EngineFailure.Kind =
            switch status {
            case 401, 403, 407: .credentials
            case 408, 429, 500...: .busy
            default: .badResponse
            }
        let value = fields.first { $0.name.lowercased() == "retry-after" }?.value
        let delay = value.flatMap {
            RetryAfter.seconds(
                $0, responseDate: fields.first { $0.name.lowercased() == "date" }?.value, now: Int64(time(nil)))
        }
        return EngineFailure(
            kind, "\(host) answers with status \(status)", code: Int32(clamping: status), retryAfter: delay)
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        deadline = Self.deadline(order)
        for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { sendLine() }
            guard line.count + part.element.count <= ListenOrder.lineBytes else {
                failure = EngineFailure(.badResponse, "a line has more than \(ListenOrder.lineBytes) bytes")
                return false
            }
            line += part.element
        }
        return true
    }

    private func sendLine() {
        if !line.isEmpty { output.send(.line(transfer: order.transfer, line)) }
        line = []
    }

    /// Reports the end of the request.
    func reportEnd(_ result: CURLcode) {
        let end = failure ?? (result == CURLE_OK ? nil : request.failure(for: result, host: address.origin.host))
        let transfer = order.transfer
        output.send(.failed(transfer: transfer, end ?? EngineFailure(.network, "the server has ended the stream")))
    }

    /// Reports that the server is silent. The caller has removed the request from libcurl.
    func reportSilence() {
        let failure = EngineFailure(.timeout, "\(address.origin.host) was silent for \(order.silence) s")
        output.send(.failed(transfer: order.transfer, failure))
    }
}
