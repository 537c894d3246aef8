import BackgroundProtocol
import CCurl
import CLinux
import Glibc
import SystemCalls
import TransferPolicy

/// Builds the requests of a transfer.
extension EngineTransfer {
    /// Returns to the original address, at which every new question begins.
    func startAtOriginalAddress(_ original: WebAddress) {
        address = original
        redirects = RedirectPolicy(
            address: original.text, origin: original.origin,
            method: judge.request.isHead ? "HEAD" : order.request.method,
            allowsInsecureHTTP: order.request.allowsInsecureHTTP)
    }

    /// Sets libcurl's options for the next request, which the caller then starts.
    func prepareRequest() {
        exchange = TransferExchange()
        request.reset()
        request.set(CURLOPT_URL, address.text)
        setMethod()
        request.setFields(fieldLines)
        let limits = order.limits
        if limits.connectTime > 0 { request.set(CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connectTime)) }
        limitRate(limits.rate)
        if let roots = files.trustedRoots { request.setTrustedRoots(roots) }
        setCallbacks()
        if address.origin.scheme == "https" { request.recordTLSEnd() }
        lowSpeed.start(now: MonotonicTime.now)
    }

    /// Limits the rate of the transfer to a number of bytes a second; 0 removes the limit.
    func limitRate(_ bytesPerSecond: UInt64) {
        let rate = Int64(clamping: bytesPerSecond)
        request.setOffset(CURLOPT_MAX_RECV_SPEED_LARGE, rate)
        request.setOffset(CURLOPT_MAX_SEND_SPEED_LARGE, rate)
        lowSpeed.setLimits(order.limits, rate: bytesPerSecond)
    }

    private func setMethod() {
        let method = redirects.method
        if judge.request.isHead {
            request.set(CURLOPT_NOBODY, 1)
        } else if let upload = files.upload, method == order.request.method {
            let size = (try? upload.fileDescriptor.regularFileSize()) ?? 0
            request.set(CURLOPT_UPLOAD, 1)
            request.setOffset(CURLOPT_INFILESIZE_LARGE, Int64(size))
            request.set(CURLOPT_CUSTOMREQUEST, method)
        } else if method != "GET" {
            request.set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    /// The header fields of the request: those of the program, without secrets for other origins, and those that ask
    /// for a part of the content.
    private var fieldLines: [String] {
        let managedFields = judge.isGetRequest ? ResumeRequest.managedFields : ["accept-encoding"]
        var lines: [String] = []
        for field in order.request.fields {
            let isSecret = field.isSecret || RedirectPolicy.isAlwaysSecret(field.name)
            if managedFields.contains(field.name.lowercased()) || (isSecret && !redirects.sendsSecrets) { continue }
            // libcurl sends a field without a value only with a semicolon.
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        for field in judge.request.fields { lines.append("\(field.name): \(field.value)") }
        // Without this line, libcurl waits a second for servers that ignore "Expect: 100-continue".
        if files.upload != nil { lines.append("Expect:") }
        return lines
    }

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        request.setReceiver(self)
        ccurl_set_prerequest_callback(request.handle) { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            Unmanaged<EngineTransfer>.fromOpaque(context).takeUnretainedValue().handleConnection()
            return CURL_PREREQFUNC_OK
        }
        request.setPointer(CURLOPT_PREREQDATA, context)
        if order.isDiscretionary {
            ccurl_set_socket_option_callback(request.handle) { _, socket, _ in
                clinux_set_low_effort(socket)
                return CURL_SOCKOPT_OK
            }
        }
        if files.upload != nil { setUploadCallbacks(context) }
    }

    private func setUploadCallbacks(_ context: UnsafeMutableRawPointer) {
        ccurl_set_receiver(request.handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return Int(CURL_READFUNC_ABORT) }
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<EngineTransfer>.fromOpaque(context).takeUnretainedValue().readUpload(into: buffer)
        }
        request.setPointer(CURLOPT_READDATA, context)
        ccurl_set_seek_callback(request.handle) { context, offset, origin in
            guard let context, origin == SEEK_SET, offset >= 0 else { return CURL_SEEKFUNC_CANTSEEK }
            Unmanaged<EngineTransfer>.fromOpaque(context).takeUnretainedValue().exchange.uploadedByteCount =
                Int64(offset)
            return CURL_SEEKFUNC_OK
        }
        request.setPointer(CURLOPT_SEEKDATA, context)
    }

    /// Handles that the connection is established.
    private func handleConnection() {
        lowSpeed.start(now: MonotonicTime.now)
        output.sendIfPossible(.connected(transfer: order.transfer))
    }

    /// Reads the next bytes of the file to upload.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file; libcurl's code to abort if the file cannot be read.
    private func readUpload(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let now = MonotonicTime.now
        do throws(SystemCallError) {
            guard let upload = files.upload else { return Int(CURL_READFUNC_ABORT) }
            let count = try upload.fileDescriptor.read(into: buffer, at: Int(exchange.uploadedByteCount))
            exchange.uploadedByteCount += Int64(count)
            lowSpeed.record(count, now: now)
            if pace.isReportDue(now: now) {
                output.sendIfPossible(
                    .uploadProgress(transfer: order.transfer, sent: exchange.uploadedByteCount))
            }
            return count
        } catch {
            exchange.nextStep = .fail(
                EngineFailure(.unreadableUpload, "the file to upload cannot be read: \(error)", code: error.number))
            return Int(CURL_READFUNC_ABORT)
        }
    }
}
