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
    private let policy: OpenPolicy
    private var root: OpenPolicy.Location?
    private var files: [UnsafeMutablePointer<AVIOContext>: FileInput] = [:]
    private var encrypted: [UnsafeMutablePointer<AVIOContext>: DecryptingInput] = [:]
    /// Why the newest thing that the media refers to could not be opened or read to its end; nil once one could.
    private(set) var failure: MediaError?
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

    /// Forgets why something could not be read: another place is read from now on.
    func forgetFailure() { failure = nil }

    /// Calls off what FFmpeg does when the demuxer's thread has worked (not waited) for so many nanoseconds more; nil: never.
    func hurry(_ work: Int64?) { workEnd = work.map { Self.threadTime + $0 } }

    private static var threadTime: Int64 {
        var t = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
        return Int64(t.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(t.tv_nsec)
    }

    /// FFmpeg asks now and then whether to give up.
    private var isToStop: Bool { isCalledOff || workEnd.map { Self.threadTime > $0 } ?? false }

    /// Opens what the user asked for.
    func openRoot(_ text: String) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let location = try policy.locate(text)
        try policy.check(location, from: nil)
        root = location
        return try open(location, options: nil)
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
        case .file(let path): return try keep(FileInput(path: path, interruption: interruption) { [unowned self] in isCalledOff })
        case .standardInput: return try keep(FileInput(standardInputUntil: interruption) { [unowned self] in isCalledOff })
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
        // A connection that breaks before the end of a file is made anew from there, after 0, 1, 3 and 7 seconds; a server that is busy is
        // asked again after the same times.
        av_dict_set(&own, "reconnect", "1", 0)
        av_dict_set(&own, "reconnect_delay_max", "7", 0)
        av_dict_set(&own, "reconnect_on_http_error", "429,500,502,503,504", 0)
        policy.tls.apply(to: &own)
        let code = avio_open2(&context, url, AVIO_FLAG_READ, &callback, &own)
        guard code >= 0, let context else {
            // FFmpeg has no code of its own for a certificate that does not pass.
            if code == cffmpeg_error(EIO), !isToStop, let fault = policy.tls.fault(of: url) { throw fault }
            throw MediaError(ffmpeg: code, doing: "cannot be fetched")
        }
        return context
    }

    private func keep(_ input: FileInput) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        files[context] = input
        return context
    }

    /// Closes one of ours.
    func close(_ context: UnsafeMutablePointer<AVIOContext>) {
        if let input = encrypted.removeValue(forKey: context) { return close(input.source) }
        note(context)
        if files.removeValue(forKey: context) == nil {
            var pointer: UnsafeMutablePointer<AVIOContext>? = context
            avio_closep(&pointer)
        }
    }

    /// Remembers how reading something ended. Where its length is not known, FFmpeg calls the end of a connection an error.
    private func note(_ context: UnsafeMutablePointer<AVIOContext>) {
        let error = context.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit, avio_size(context) > 0 else { return }
        failure = MediaError(ffmpeg: error, doing: "a part could not be read")
    }

    /// Opens what the media refers to.
    ///
    /// libavformat asks for an encrypted segment as `crypto+ADDRESS` or `crypto:PATH`, with the key among the options.
    private func openPart(
        _ text: String, options: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let key = Self.option("key", in: options), vector = Self.option("iv", in: options)
        let isEncrypted = key != nil && vector != nil && (text.hasPrefix("crypto+") || text.hasPrefix("crypto:"))
        let location = try policy.locate(isEncrypted ? String(text.dropFirst("crypto+".count)) : text)
        try policy.check(location, from: root)
        let source = try open(location, options: options)
        guard isEncrypted, let key, let vector else { return source }
        do throws(MediaError) {
            let input = try DecryptingInput(source, key: key, vector: vector)
            guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
            encrypted[context] = input
            return context
        } catch {
            close(source)
            throw error
        }
    }

    private static func option(_ name: String, in options: UnsafeMutablePointer<OpaquePointer?>?) -> String? {
        av_dict_get(options?.pointee, name, nil, 0)?.pointee.value.map { String(cString: $0) }
    }

    /// Makes `format` ask us whenever it wants to open something more.
    func serve(_ format: UnsafeMutablePointer<AVFormatContext>) {
        format.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        format.pointee.interrupt_callback = interruptCallback
        format.pointee.io_open = { format, result, url, flags, options in
            guard let opaque = format?.pointee.opaque, let result, let url, flags & AVIO_FLAG_WRITE == 0 else { return cffmpeg_error(EINVAL) }
            let opener = Unmanaged<MediaOpener>.fromOpaque(opaque).takeUnretainedValue()
            do throws(MediaError) {
                result.pointee = try opener.openPart(String(cString: url), options: options)
                opener.failure = nil
                return 0
            } catch {
                opener.failure = error
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
