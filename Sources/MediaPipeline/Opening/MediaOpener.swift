import CFFmpeg
import Glibc
import Synchronization
import SystemCalls

/// Opens every file and address for one demuxer under one policy, and closes what it opened.
///
/// The opener must outlive the format context that it serves. Only that context's thread may use the opener, except for
/// ``interrupt()`` and ``setSeekIsPending(_:)``, which any thread may call.
final class MediaOpener: @unchecked Sendable {
    // @unchecked Sendable: `wasInterrupted` and `seekIsPending` are atomic; all other variables belong to the demuxer's
    // thread.

    /// An open file or connection: the location that the user opened (the root), or a part that the media refers to,
    /// such as a segment.
    private struct OpenPart {
        /// The part's address; nil for the location that the user opened.
        var address: String?
        /// Whether the part's length is known, so that an early end is an error.
        var hasKnownLength: Bool
        /// Whether the part's error is already recorded in ``missingParts``.
        var hasFailed = false
    }

    private let policy: OpenPolicy
    /// The location that the user requested; nil before ``openRoot(_:)``.
    private var root: OpenPolicy.Location?
    /// The open local files, by FFmpeg's context.
    private var files: [UnsafeMutablePointer<AVIOContext>: FileInput] = [:]
    /// The open encrypted segments, by FFmpeg's context of the decrypted bytes.
    private var encryptedSegments: [UnsafeMutablePointer<AVIOContext>: DecryptingInput] = [:]
    /// The state of each open file and connection.
    private var openParts: [UnsafeMutablePointer<AVIOContext>: OpenPart] = [:]
    /// The referenced parts that could not be opened or read completely.
    var missingParts = MissingParts()
    private let wasInterrupted = Atomic<Bool>(false)
    private let seekIsPending = Atomic<Bool>(false)
    /// Whether the demuxer is seeking. Only the demuxer's thread uses it.
    var isSeeking = false
    /// The processor time of the demuxer's thread, in nanoseconds, at which FFmpeg's current work is cancelled; nil
    /// sets no limit. Only the demuxer's thread uses it.
    private var processorTimeDeadline: Int64?
    /// Interrupts reads during which FFmpeg does not call the interrupt callback. Signalled once and never drained.
    private let interruption: EventDescriptor

    init(policy: OpenPolicy) throws(SystemCallError) {
        self.policy = policy
        interruption = try EventDescriptor()
    }

    /// Interrupts blocked network calls permanently. Callable from any thread.
    func interrupt() {
        wasInterrupted.store(true, ordering: .relaxed)
        interruption.signal()
    }

    /// Whether ``interrupt()`` was called.
    var isInterrupted: Bool { wasInterrupted.load(ordering: .relaxed) }

    /// Sets whether a newer seek is pending, which cancels the current seek. Callable from any thread.
    func setSeekIsPending(_ isPending: Bool) { seekIsPending.store(isPending, ordering: .relaxed) }

    /// Whether reading must stop, permanently or for a newer seek.
    var isCancelled: Bool { isInterrupted || isSeeking && seekIsPending.load(ordering: .relaxed) }

    /// Cancels FFmpeg's work after the demuxer's thread has used `time` more nanoseconds of processor time; nil sets no
    /// limit. Waiting does not count.
    func limitProcessorTime(_ time: Int64?) { processorTimeDeadline = time.map { Self.threadTime + $0 } }

    /// The processor time that the calling thread has used, in nanoseconds.
    private static var threadTime: Int64 {
        var t = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
        return Int64(t.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(t.tv_nsec)
    }

    /// Whether FFmpeg must stop its current work. FFmpeg's interrupt callback polls this property.
    private var shouldStop: Bool { isCancelled || processorTimeDeadline.map { Self.threadTime > $0 } ?? false }

    /// Whether the file or address that the user requested is fetched over the network.
    var isRemote: Bool { if case .network? = root { true } else { false } }

    /// Opens the file or address that the user requested.
    func openRoot(_ text: String) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let location = try policy.locate(text)
        try policy.check(location, from: nil)
        root = location
        let context = try open(location, options: nil)
        openParts[context] = OpenPart(hasKnownLength: avio_size(context) > 0)
        return context
    }

    /// Reads the whole file or address that the user requested; fails if it exceeds `limit` bytes.
    func readRoot(_ location: String, limit: Int) throws(MediaError) -> [UInt8] {
        let source = try openRoot(location)
        defer { close(source) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = avio_read(source, &chunk, Int32(chunk.count))
            if count == cffmpeg_error_eof || count == 0 { return bytes }
            guard count > 0 else { throw MediaError(ffmpeg: count, doing: "cannot be read") }
            bytes += chunk[..<Int(count)]
            guard bytes.count <= limit else {
                throw MediaError(.unsupportedFormat, "exceeds the size limit of \(limit) bytes")
            }
        }
    }

    /// Opens a location without checking the policy.
    private func open(
        _ location: OpenPolicy.Location, options: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        switch location {
        case .file(let path):
            return try storeInput(FileInput(path: path, interruption: interruption) { [unowned self] in isCancelled })
        case .standardInput:
            return try storeInput(FileInput(standardInputUntil: interruption) { [unowned self] in isCancelled })
        case .network(let url): return try fetch(url, options: options)
        }
    }

    /// Opens a network address with timeouts, retries and certificate checks.
    private func fetch(
        _ url: String, options: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        var context: UnsafeMutablePointer<AVIOContext>?
        var callback = interruptCallback
        var own: OpaquePointer?
        defer { av_dict_free(&own) }
        if let options { av_dict_copy(&own, options.pointee, 0) }
        // The protocols below http that libavformat may open: only sockets and TLS.
        av_dict_set(&own, "protocol_whitelist", "http,https,httpproxy,tcp,tls", 0)
        av_dict_set(&own, "rw_timeout", "15000000", 0)
        // Reconnects a connection that breaks before the end of a file, after 0, 1, 3 and 7 seconds. Repeats a request
        // to a busy server after the same delays.
        av_dict_set(&own, "reconnect", "1", 0)
        av_dict_set(&own, "reconnect_delay_max", "7", 0)
        av_dict_set(&own, "reconnect_on_http_error", "429,500,502,503,504", 0)
        // By default FFmpeg requests that the server close the connection, and then treats a closed connection as the
        // end of a chunked response. With this header, a response that breaks off within a chunk is an error. FFmpeg
        // still treats a response that breaks off between two chunks as complete.
        let headers = Self.option("headers", in: &own) ?? ""
        if !headers.lowercased().contains("connection:") {
            av_dict_set(&own, "headers", headers + "Connection: keep-alive\r\n", 0)
        }
        policy.tls.apply(to: &own)
        let code = avio_open2(&context, url, AVIO_FLAG_READ, &callback, &own)
        guard code >= 0, let context else {
            // FFmpeg reports a rejected certificate only as an input error, so determine whether the certificate is the
            // reason.
            if code == cffmpeg_error(EIO), !shouldStop,
                let fault = CertificateCheck(trust: policy.tls, interruption: interruptCallback).fault(of: url)
            {
                throw fault
            }
            throw MediaError(ffmpeg: code, doing: "cannot be fetched")
        }
        return context
    }

    /// Stores the input of a local file until ``close(_:)``, and returns FFmpeg's context of the input.
    private func storeInput(_ input: FileInput) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        files[context] = input
        missingParts.expectGaps(input.gapSegments)
        return context
    }

    /// Closes a context that this opener opened.
    func close(_ context: UnsafeMutablePointer<AVIOContext>) {
        if let input = encryptedSegments.removeValue(forKey: context) {
            return close(input.source)
        }
        recordError(of: context)
        openParts[context] = nil
        if files.removeValue(forKey: context) == nil {
            var pointer: UnsafeMutablePointer<AVIOContext>? = context
            avio_closep(&pointer)
        }
    }

    /// Records the read errors of all parts that are open now.
    func recordErrors() { for context in openParts.keys { recordError(of: context) } }

    /// Records the read error of an open part, if there is one. If the part's length is unknown, FFmpeg reports the end
    /// of the connection as an error, so that error is ignored.
    private func recordError(of context: UnsafeMutablePointer<AVIOContext>) {
        let error = context.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit else { return }
        guard let part = openParts[context], part.hasKnownLength, !part.hasFailed, var address = part.address else {
            return
        }
        openParts[context]?.hasFailed = true
        // libavformat reuses a connection for several segments without reopening it; read the current address.
        var location: UnsafeMutablePointer<UInt8>?
        if files[context] == nil, av_opt_get(context, "location", AV_OPT_SEARCH_CHILDREN, &location) >= 0,
            let location
        {
            address = String(cString: location)
            av_free(location)
        }
        missingParts.partFailed(address, MediaError(ffmpeg: error, doing: "\(Self.name(of: address)) ends early"))
    }

    /// Returns the last path component of an address, without its query, for messages.
    private static func name(of address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").last.map(String.init) ?? address
    }

    /// Opens a part that the media refers to.
    ///
    /// libavformat requests an encrypted segment as `crypto+ADDRESS` or `crypto:PATH`, with the key among the options.
    private func openPart(
        _ text: String, options: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let key = Self.option("key", in: options), vector = Self.option("iv", in: options)
        let isEncrypted = key != nil && vector != nil
        let location = try policy.locate(part: text, isEncrypted: isEncrypted, from: root)
        let source = try open(location, options: options)
        openParts[source] = OpenPart(address: text, hasKnownLength: avio_size(source) > 0)
        guard isEncrypted, OpenPolicy.isEncrypted(text), let key, let vector else { return source }
        do throws(MediaError) {
            // FFmpeg's HTTP protocol requests the byte range itself.
            let isFile = files[source] != nil
            let range = Self.range(in: options)
            let input = try DecryptingInput(source, key: key, vector: vector, range: range, isWhole: isFile)
            guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
            encryptedSegments[context] = input
            return context
        } catch {
            close(source)
            throw error
        }
    }

    /// Returns the byte range that libavformat requests; nil for the whole file.
    private static func range(in options: UnsafeMutablePointer<OpaquePointer?>?) -> Range<Int64>? {
        guard let start = option("offset", in: options).flatMap(Int64.init), start >= 0,
            let end = option("end_offset", in: options).flatMap(Int64.init), end > start
        else { return nil }
        return start..<end
    }

    /// Returns the value of an option that libavformat passes; nil if it is missing.
    private static func option(_ name: String, in options: UnsafeMutablePointer<OpaquePointer?>?) -> String? {
        av_dict_get(options?.pointee, name, nil, 0)?.pointee.value.map { String(cString: $0) }
    }

    /// Installs callbacks, so that `format` opens every further file through this opener.
    func install(_ format: UnsafeMutablePointer<AVFormatContext>) {
        format.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        format.pointee.interrupt_callback = interruptCallback
        format.pointee.io_open = { format, result, url, flags, options in
            guard let opaque = format?.pointee.opaque, let result, let url, flags & AVIO_FLAG_WRITE == 0 else {
                return cffmpeg_error(EINVAL)
            }
            let opener = Unmanaged<MediaOpener>.fromOpaque(opaque).takeUnretainedValue()
            let address = String(cString: url)
            do throws(MediaError) {
                result.pointee = try opener.openPart(address, options: options)
                opener.missingParts.partOpened(address)
                return 0
            } catch {
                let name = MediaOpener.name(of: address)
                if error.code != .interrupted {
                    opener.missingParts.partFailed(address, MediaError(error.code, "\(name) \(error.message)"))
                }
                switch error.code {
                case .notFound: return cffmpeg_error(ENOENT)
                case .refusedByPolicy, .notPermitted: return cffmpeg_error(EACCES)
                default: return cffmpeg_error(EIO)
                }
            }
        }
        format.pointee.io_close2 = { format, context in
            guard let opaque = format?.pointee.opaque, let context else { return 0 }
            Unmanaged<MediaOpener>.fromOpaque(opaque).takeUnretainedValue().close(context)
            return 0
        }
    }

    /// The callback with which FFmpeg polls ``shouldStop``.
    private var interruptCallback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<MediaOpener>.fromOpaque(opaque).takeUnretainedValue().shouldStop ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
