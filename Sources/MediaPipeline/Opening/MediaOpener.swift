import CFFmpeg
import Glibc
import HTTPTransfer
import SystemCalls

/// Opens every file and address for one demuxer under one policy, and closes what it opened.
///
/// The opener must outlive the format context that it serves. Only that context's thread may use the opener, except for
/// ``interrupt()`` and ``setSeekIsPending(_:)``, which any thread may call.
final class MediaOpener: @unchecked Sendable {
    // @unchecked Sendable: `interruption` is Sendable; all other variables belong to the demuxer's thread.

    /// An open file or connection: the location that the user opened (the root), or a part that the media refers to,
    /// such as a segment.
    private struct OpenResource {
        /// The part's address; nil for the location that the user opened.
        var address: String?
        /// Whether the part's length is known, so that an early end is an error.
        var hasKnownLength: Bool
        /// Whether the part's error is already recorded in ``missingParts``.
        var hasFailed = false
    }

    private let policy: OpenPolicy
    /// The number of received bytes of each network resource that are kept for seeking back.
    private var keptByteLimit: Int
    /// The location that the user requested; nil before ``openRoot(_:)``.
    private var root: OpenPolicy.Location?
    /// The open local files, by FFmpeg's context.
    private var fileInputs: [UnsafeMutablePointer<AVIOContext>: FileInput] = [:]
    /// The open network resources, by FFmpeg's context.
    private var networkInputs: [UnsafeMutablePointer<AVIOContext>: HTTPInput] = [:]
    /// The process's HTTP client; nil before the first request.
    private(set) var transfers: HTTPTransfers?
    /// The open encrypted segments, by FFmpeg's context of the decrypted bytes.
    private var encryptedSegments: [UnsafeMutablePointer<AVIOContext>: DecryptingInput] = [:]
    /// The state of each open file and connection.
    private var openResources: [UnsafeMutablePointer<AVIOContext>: OpenResource] = [:]
    /// The referenced parts that could not be opened or read completely.
    var missingParts = MissingParts()
    /// The interruption that ends waits for the disk and the network when the item is closed or a newer seek is
    /// pending.
    let interruption: ReadingInterruption
    /// Whether the demuxer is seeking. Only the demuxer's thread uses it.
    var isSeeking = false
    /// The processor time of the demuxer's thread, in nanoseconds, at which FFmpeg's current work is cancelled; nil
    /// sets no limit. Only the demuxer's thread uses it.
    private var processorTimeDeadline: Int64?
    /// The network resource of the user's location, if it was requested but not opened yet; otherwise nil.
    private var requestedRoot: HTTPFile?

    init(
        policy: OpenPolicy, interruption: ReadingInterruption? = nil, keptByteLimit: Int? = nil
    ) throws(SystemCallError) {
        (self.policy, self.keptByteLimit) = (policy, keptByteLimit ?? HTTPFile.defaultCacheLimit)
        if let interruption { self.interruption = interruption } else { self.interruption = try ReadingInterruption() }
    }

    /// Interrupts blocked network calls permanently. Callable from any thread.
    func interrupt() { interruption.interrupt() }

    /// Whether ``interrupt()`` was called.
    var isInterrupted: Bool { interruption.isInterrupted }

    /// Sets whether a newer seek is pending, which cancels the current seek. Callable from any thread.
    func setSeekIsPending(_ isPending: Bool) { interruption.setSeekIsPending(isPending) }

    /// Whether reading must stop, permanently or for a newer seek.
    var isCancelled: Bool { isInterrupted || isSeeking && interruption.isSeekPending }

    /// Cancels FFmpeg's work after the demuxer's thread has used `time` more nanoseconds of processor time; nil sets no
    /// limit. Waiting does not count.
    func limitProcessorTime(_ time: Int64?) { processorTimeDeadline = time.map { Self.threadTime + $0 } }

    /// The processor time that the calling thread has used, in nanoseconds.
    private static var threadTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(time.tv_nsec)
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
        openResources[context] = OpenResource(hasKnownLength: avio_size(context) > 0)
        return context
    }

    /// Opens a location without checking the policy.
    private func open(
        _ location: OpenPolicy.Location, options: UnsafeMutablePointer<OpaquePointer?>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        switch location {
        case .file(let path):
            return try storeInput(
                FileInput(path: path, interruption: interruption.closingEvent) { [unowned self] in isCancelled })
        case .standardInput:
            return try storeInput(
                FileInput(standardInputUntil: interruption.closingEvent) { [unowned self] in isCancelled })
        case .network(let url):
            let range = Self.range(in: options)
            return try fetch(url, part: range.map { ByteSpan(start: $0.lowerBound, end: $0.upperBound) })
        }
    }

    /// Sends the request for a network address and waits for the response.
    private func fetch(_ url: String, part: ByteSpan?) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        let requestedFile = part == nil ? requestedRoot.take() : nil
        let file = if let requestedFile { requestedFile } else { try file(at: url, part: part) }
        let input = try HTTPInput(file) { [unowned self] in
            interruption.forTransfers(stopsForSeek: isSeeking)
        }
        guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        networkInputs[context] = input
        return context
    }

    /// Returns the resource at a network address, without requesting it.
    private func file(at url: String, part: ByteSpan? = nil) throws(MediaError) -> HTTPFile {
        do throws(SystemCallError) {
            let transfers = if let transfers { transfers } else { try HTTPTransfers.shared() }
            self.transfers = transfers
            return HTTPFile(
                url, part: part, options: policy.http, transfers: transfers,
                cacheLimit: part == nil ? keptByteLimit : 0)
        } catch { throw MediaError(.input, "cannot be fetched: \(error.reason)") }
    }

    /// Requests the address that the user wants to open, and keeps the response for ``openRoot(_:)``.
    ///
    /// - Returns: The resource; nil if `text` is not a network address.
    func requestRoot(_ text: String) throws(MediaError) -> HTTPFile? {
        let location = try policy.locate(text)
        guard case .network(let url) = location else { return nil }
        try policy.check(location, from: nil)
        let file = try file(at: url)
        let isOpen: Bool
        do throws(HTTPError) {
            isOpen = try file.open(interruption.forTransfers(stopsForSeek: false))
        } catch { throw MediaError(error, doing: "cannot be fetched") }
        guard isOpen else { throw MediaError(.interrupted, "was cancelled") }
        requestedRoot = file
        return file
    }

    /// Sets the maximum number of received bytes of the user's location that are kept, and returns those above it,
    /// which the caller releases. The resources that a playlist references are read once, and their bytes are not kept.
    func setKeptByteLimit(_ limit: Int) -> [DroppedBytes] {
        keptByteLimit = limit
        let droppedBytes = networkInputs.values.filter(\.isWhole).map { $0.setCacheLimit(limit) }
        return (droppedBytes + [requestedRoot?.setCacheLimit(limit)]).compactMap { $0 }
    }

    /// Releases the resource that ``requestRoot(_:)`` has requested, because ``openRoot(_:)`` will not be called.
    func releaseRequestedRoot() { requestedRoot = nil }

    /// Stores the input of a local file until ``close(_:)``, and returns FFmpeg's context of the input.
    private func storeInput(_ input: FileInput) throws(MediaError) -> UnsafeMutablePointer<AVIOContext> {
        guard let context = input.context else { throw MediaError(.outOfMemory, "no memory for a read buffer") }
        fileInputs[context] = input
        missingParts.addIntentionalGaps(input.gapAddresses)
        return context
    }

    /// Closes a context that this opener has opened.
    func close(_ context: UnsafeMutablePointer<AVIOContext>) {
        if let input = encryptedSegments.removeValue(forKey: context) {
            return close(input.source)
        }
        recordError(of: context)
        openResources[context] = nil
        fileInputs[context] = nil
        networkInputs[context] = nil
    }

    /// Records the read errors of all parts that are open now.
    func recordErrors() { for context in openResources.keys { recordError(of: context) } }

    /// Records the read error of an open part, if there is one.
    private func recordError(of context: UnsafeMutablePointer<AVIOContext>) {
        let error = context.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit else { return }
        guard let resource = openResources[context], resource.hasKnownLength, !resource.hasFailed,
            let address = resource.address
        else { return }
        openResources[context]?.hasFailed = true
        let name = Self.name(of: address)
        missingParts.recordFailedPart(
            address, readError(of: context, doing: "\(name) ends early") ?? MediaError(.input, "\(name) ends early"))
    }

    /// Returns the error that ended reading from an open file or address; nil if there is none.
    func readError(of context: UnsafeMutablePointer<AVIOContext>, doing action: String) -> MediaError? {
        if let failure = networkInputs[context]?.failure { return MediaError(failure, doing: action) }
        let error = context.pointee.error
        guard error < 0, error != cffmpeg_error_eof, error != cffmpeg_error_exit else { return nil }
        return MediaError(ffmpeg: error, doing: action)
    }

    /// The address of an open input after redirects; nil for a local file.
    func address(of context: UnsafeMutablePointer<AVIOContext>) -> String? { networkInputs[context]?.address }

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
        openResources[source] = OpenResource(address: text, hasKnownLength: avio_size(source) > 0)
        guard isEncrypted, OpenPolicy.isEncrypted(text), let key, let vector else { return source }
        do throws(MediaError) {
            // A local file contains more than the requested range; a server sends only the range.
            let isFile = fileInputs[source] != nil
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
            let address = MediaLocation.location(part: url)
            do throws(MediaError) {
                result.pointee = try opener.openPart(address, options: options)
                opener.missingParts.recordOpenedPart(address)
                return 0
            } catch {
                let name = MediaOpener.name(of: address)
                if error.code != .interrupted {
                    opener.missingParts.recordFailedPart(address, MediaError(error.code, "\(name) \(error.message)"))
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
