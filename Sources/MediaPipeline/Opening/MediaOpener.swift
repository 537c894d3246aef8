import CFFmpeg
import Glibc
import Synchronization
import SystemCalls

/// Opens every file and address for one demuxer under one policy, and closes what it opened.
///
/// Lives as long as the format context that it serves. Only that context's thread may use it, except for
/// ``interrupt()``, which any thread may call.
final class MediaOpener: @unchecked Sendable {
    // @unchecked Sendable: `interrupted` and `seekIsPending` are atomic; all other variables belong to the demuxer's
    // thread.
    private struct OpenPart {
        /// The part's address; nil for the root that the user opened.
        var address: String?
        var hasKnownLength: Bool
        /// Whether its error is already in `missing`.
        var hasFailed = false
    }

    private let policy: OpenPolicy
    private var root: OpenPolicy.Location?
    private var files: [UnsafeMutablePointer<AVIOContext>: FileInput] = [:]
    private var encrypted: [UnsafeMutablePointer<AVIOContext>: DecryptingInput] = [:]
    /// The state of each open file and connection.
    private var opened: [UnsafeMutablePointer<AVIOContext>: OpenPart] = [:]
    /// The referenced parts that could not be opened or read completely.
    var missing = MissingParts()
    private let interrupted = Atomic<Bool>(false)
    private let seekIsPending = Atomic<Bool>(false)
    /// Whether the demuxer is seeking. Only the demuxer's thread uses it.
    var isSeeking = false
    /// The processor time of the demuxer's thread, in nanoseconds, at which the current work is cancelled. Only the
    /// demuxer's thread uses it.
    private var workEnd: Int64?
    /// Interrupts reads during which FFmpeg does not call the interrupt callback. Signalled once and never drained.
    private let interruption: EventDescriptor

    init(policy: OpenPolicy) throws(SystemCallError) {
        self.policy = policy
        interruption = try EventDescriptor()
    }

    /// Interrupts blocked network calls permanently. Callable from any thread.
    func interrupt() {
        interrupted.store(true, ordering: .relaxed)
        interruption.signal()
    }

    var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

    /// Sets whether a newer seek is pending, which cancels the running seek. Callable from any thread.
    func setSeekIsPending(_ isPending: Bool) { seekIsPending.store(isPending, ordering: .relaxed) }

    /// Whether reading must stop: permanently, or because a newer seek is pending.
    var isCalledOff: Bool { isInterrupted || isSeeking && seekIsPending.load(ordering: .relaxed) }

    /// Cancels FFmpeg's work after the demuxer's thread has used this much more processor time, in nanoseconds; nil
    /// sets no limit. Waiting does not count.
    func hurry(_ work: Int64?) { workEnd = work.map { Self.threadTime + $0 } }

    private static var threadTime: Int64 {
        var t = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
        return Int64(t.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(t.tv_nsec)
    }

    /// Whether FFmpeg must stop. FFmpeg's interrupt callback polls it.
    private var isToStop: Bool { isCalledOff || workEnd.map { Self.threadTime > $0 } ?? false }

    /// Whether the root is fetched over the network.
    var isRemote: Bool { if case .network? = root { true } else { false } }

    /// Opens the file or address that the user requested.
    func openRoot(_ text: String) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let location = try policy.locate(text)
        try policy.check(location, from: nil)
        root = location
        let context = try open(location, options: nil)
        opened[context] = OpenPart(hasKnownLength: avio_size(context) > 0)
        return context
    }

    /// Reads the complete root; fails if it exceeds `limit` bytes.
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
            guard bytes.count <= limit else { throw MediaError(.unsupportedFormat, "is too large for its kind") }
        }
    }

    private func open(
        _ location: OpenPolicy.Location, options: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        switch location {
        case .file(let path):
            return try keep(FileInput(path: path, interruption: interruption) { [unowned self] in isCalledOff })
        case .standardInput:
            return try keep(FileInput(standardInputUntil: interruption) { [unowned self] in isCalledOff })
        case .network(let url): return try fetch(url, options: options)
        }
    }

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
        // end of a chunked response. With this header, a response that breaks off within a chunk is an error. Between
        // two chunks it is not.
        let headers = Self.option("headers", in: &own) ?? ""
        if !headers.lowercased().contains("connection:") {
            av_dict_set(&own, "headers", headers + "Connection: keep-alive\r\n", 0)
        }
        policy.tls.apply(to: &own)
        let code = avio_open2(&context, url, AVIO_FLAG_READ, &callback, &own)
        guard code >= 0, let context else {
            // FFmpeg has no error code for a rejected certificate.
            if code == cffmpeg_error(EIO), !isToStop,
                let fault = CertificateCheck(trust: policy.tls, interruption: interruptCallback).fault(of: url)
            {
                throw fault
            }
            throw MediaError(ffmpeg: code, doing: "cannot be fetched")
        }
        return context
    }

    private func keep(_ input: FileInput) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        files[context] = input
        missing.expectGaps(input.gaps)
        return context
    }

    /// Closes a context that this opener opened.
    func close(_ context: UnsafeMutablePointer<AVIOContext>) {
        if let input = encrypted.removeValue(forKey: context) {
            return close(input.source)
        }
        noteError(of: context)
        opened[context] = nil
        if files.removeValue(forKey: context) == nil {
            var pointer: UnsafeMutablePointer<AVIOContext>? = context
            avio_closep(&pointer)
        }
    }

    /// Records errors of all parts that are open now.
    func noteErrors() { for context in opened.keys { noteError(of: context) } }

    /// Records an error of a part. If the length is unknown, FFmpeg reports the end of a connection as an error, so
    /// such errors are ignored.
    private func noteError(of context: UnsafeMutablePointer<AVIOContext>) {
        let error = context.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit else { return }
        guard let part = opened[context], part.hasKnownLength, !part.hasFailed, var address = part.address else {
            return
        }
        opened[context]?.hasFailed = true
        // libavformat reuses a connection for several segments without reopening it; read the current address.
        var location: UnsafeMutablePointer<UInt8>?
        if files[context] == nil, av_opt_get(context, "location", AV_OPT_SEARCH_CHILDREN, &location) >= 0,
            let location
        {
            address = String(cString: location)
            av_free(location)
        }
        missing.partFailed(address, MediaError(ffmpeg: error, doing: "\(Self.name(of: address)) ends early"))
    }

    /// The last component of an address, without its query.
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
        opened[source] = OpenPart(address: text, hasKnownLength: avio_size(source) > 0)
        guard isEncrypted, OpenPolicy.isEncrypted(text), let key, let vector else { return source }
        do throws(MediaError) {
            // FFmpeg's HTTP protocol requests the byte range itself.
            let isFile = files[source] != nil
            let range = Self.range(in: options)
            let input = try DecryptingInput(source, key: key, vector: vector, range: range, isWhole: isFile)
            guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
            encrypted[context] = input
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

    private static func option(_ name: String, in options: UnsafeMutablePointer<OpaquePointer?>?) -> String? {
        av_dict_get(options?.pointee, name, nil, 0)?.pointee.value.map { String(cString: $0) }
    }

    /// Installs callbacks, so that `format` opens every further file through this opener.
    func serve(_ format: UnsafeMutablePointer<AVFormatContext>) {
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
                opener.missing.partOpened(address)
                return 0
            } catch {
                let name = MediaOpener.name(of: address)
                if error.code != .interrupted {
                    opener.missing.partFailed(address, MediaError(error.code, "\(name) \(error.message)"))
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

    private var interruptCallback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<MediaOpener>.fromOpaque(opaque).takeUnretainedValue().isToStop ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
