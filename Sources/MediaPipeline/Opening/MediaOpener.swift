import CFFmpeg
import Glibc
import Synchronization
import SystemCalls

/// Opens every file and address for one demuxer, behind one policy, and closes what it opened.
///
/// Lives as long as the format context that it serves and is used by that context's thread only; ``interrupt()`` is the
/// exception and may be called by any.
final class MediaOpener: @unchecked Sendable {
    // Sendable: `interrupted` and `seekIsPending` are atomic; all other variables belong to the demuxer's thread.
    private struct OpenPart {
        /// nil: what the user asked for, not a part of it.
        var address: String?
        var hasKnownLength: Bool
        /// Its error is among `missing` already.
        var hasFailed = false
    }

    private let policy: OpenPolicy
    private var root: OpenPolicy.Location?
    private var files: [UnsafeMutablePointer<AVIOContext>: FileInput] = [:]
    private var encrypted: [UnsafeMutablePointer<AVIOContext>: DecryptingInput] = [:]
    /// What is known of each open file and connection.
    private var opened: [UnsafeMutablePointer<AVIOContext>: OpenPart] = [:]
    /// What the media refers to and could not be opened or read to its end.
    var missing = MissingParts()
    private let interrupted = Atomic<Bool>(false)
    private let seekIsPending = Atomic<Bool>(false)
    /// The demuxer is on its way to a sought place; its own thread's alone.
    var isSeeking = false
    /// Processor time of the demuxer's thread at which it is called off; its own thread's alone.
    private var workEnd: Int64?
    /// Signalled once, and never drained, for reads that FFmpeg does not ask about.
    private let interruption: EventDescriptor

    init(policy: OpenPolicy) throws(SystemCallError) {
        self.policy = policy
        interruption = try EventDescriptor()
    }

    /// Makes a blocked network call return. For good.
    func interrupt() {
        interrupted.store(true, ordering: .relaxed)
        interruption.signal()
    }

    var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

    /// Whether a newer seek waits: the one that runs is then called off. Any thread.
    func setSeekIsPending(_ isPending: Bool) { seekIsPending.store(isPending, ordering: .relaxed) }

    /// Whether reading is to end: for good, or since a newer seek waits for this one.
    var isCalledOff: Bool { isInterrupted || isSeeking && seekIsPending.load(ordering: .relaxed) }

    /// Calls off what FFmpeg does when the demuxer's thread has worked (not waited) for so many nanoseconds more; nil:
    /// never.
    func hurry(_ work: Int64?) { workEnd = work.map { Self.threadTime + $0 } }

    private static var threadTime: Int64 {
        var t = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
        return Int64(t.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(t.tv_nsec)
    }

    /// FFmpeg asks now and then whether to give up.
    private var isToStop: Bool { isCalledOff || workEnd.map { Self.threadTime > $0 } ?? false }

    /// Whether what the user asked for is fetched over the network.
    var isRemote: Bool { if case .network? = root { true } else { false } }

    /// Opens what the user asked for.
    func openRoot(_ text: String) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let location = try policy.locate(text)
        try policy.check(location, from: nil)
        root = location
        let context = try open(location, options: nil)
        opened[context] = OpenPart(hasKnownLength: avio_size(context) > 0)
        return context
    }

    /// Reads all of what the user asked for, unless it is too large for its kind.
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
        // What libavformat may reach below http: sockets and TLS, nothing else.
        av_dict_set(&own, "protocol_whitelist", "http,https,httpproxy,tcp,tls", 0)
        av_dict_set(&own, "rw_timeout", "15000000", 0)
        // A connection that breaks before the end of a file is made anew from there, after 0, 1, 3 and 7 seconds; a
        // server that is busy is asked again after the same times.
        av_dict_set(&own, "reconnect", "1", 0)
        av_dict_set(&own, "reconnect_delay_max", "7", 0)
        av_dict_set(&own, "reconnect_on_http_error", "429,500,502,503,504", 0)
        // By default FFmpeg asks the server to close the connection, and takes the end of a connection that is to be
        // closed for the end of an answer in chunks. With this header an answer that breaks off within a chunk is an
        // error. Between two chunks it is not.
        let headers = Self.option("headers", in: &own) ?? ""
        if !headers.lowercased().contains("connection:") {
            av_dict_set(&own, "headers", headers + "Connection: keep-alive\r\n", 0)
        }
        policy.tls.apply(to: &own)
        let code = avio_open2(&context, url, AVIO_FLAG_READ, &callback, &own)
        guard code >= 0, let context else {
            // FFmpeg has no code of its own for a certificate that is not accepted.
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

    /// Closes what this opener has opened.
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

    /// Records the parts that are open now and ended with an error.
    func noteErrors() { for context in opened.keys { noteError(of: context) } }

    /// Where the length is not known, FFmpeg reports the end of a connection as an error.
    private func noteError(of context: UnsafeMutablePointer<AVIOContext>) {
        let error = context.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit else { return }
        guard let part = opened[context], part.hasKnownLength, !part.hasFailed, var address = part.address else {
            return
        }
        opened[context]?.hasFailed = true
        // libavformat uses a connection for one segment after another without opening it anew.
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

    /// Opens what the media refers to.
    ///
    /// libavformat asks for an encrypted segment as `crypto+ADDRESS` or `crypto:PATH`, with the key among the options.
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
            // FFmpeg's HTTP requests the byte range by itself.
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

    /// The bytes of a file that libavformat asks for; nil: all.
    private static func range(in options: UnsafeMutablePointer<OpaquePointer?>?) -> Range<Int64>? {
        guard let start = option("offset", in: options).flatMap(Int64.init), start >= 0,
            let end = option("end_offset", in: options).flatMap(Int64.init), end > start
        else { return nil }
        return start..<end
    }

    private static func option(_ name: String, in options: UnsafeMutablePointer<OpaquePointer?>?) -> String? {
        av_dict_get(options?.pointee, name, nil, 0)?.pointee.value.map { String(cString: $0) }
    }

    /// Makes `format` ask us whenever it wants to open something more.
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
