import BackgroundProtocol
import CCurl
import Glibc
import SystemCalls
import TransferPolicy

/// One transfer: sends requests until a response is accepted, and writes its body. Used only by the thread `transfer`.
final class EngineTransfer: CurlReceiver {
    let order: TransferOrder
    /// libcurl's handle of the current request.
    let request: CurlRequest
    /// The ledger and the thread that synchronises files.
    private let services: Services
    /// The files of the order.
    var files: TransferFiles
    /// What to ask, and the judgement of responses.
    var judge: ReplyJudge
    /// The redirects of the current request.
    var redirects: RedirectPolicy
    /// The address of the current request.
    var address: WebAddress
    /// The current request and its response.
    var exchange = TransferExchange()
    /// The detector of slow transfers.
    var lowSpeed: LowSpeedDetector
    /// The times of reports.
    var pace: ReportPace
    /// The way in which the transfer ends; nil while it runs.
    private(set) var ending: TransferEnding?
    /// The digest of the whole content; nil until it was computed.
    private var digest: [UInt8]?

    /// What all transfers of the engine share.
    struct Services {
        let output: EngineOutput
        let synchronizer: FileSynchronizer
    }

    /// The ledger.
    var output: EngineOutput { services.output }
    /// The part file.
    var part: PartFile {
        get { files.part }
        set { files.part = newValue }
    }

    /// Prepares a transfer; ``prepareRequest()`` must follow.
    ///
    /// - Throws: ``EngineFailure`` if the order cannot be executed.
    init(
        _ order: TransferOrder, _ descriptors: [SharedDescriptor], _ services: Services
    ) throws(EngineFailure) {
        let address = try Self.address(of: order.request)
        guard let request = CurlRequest() else { throw EngineFailure(.engine, "no memory for a request") }
        (self.order, self.request, self.services, self.address) = (order, request, services, address)
        files = try TransferFiles(order, descriptors)
        judge = ReplyJudge(
            held: order.held, isGetRequest: order.request.method == "GET", quirks: order.quirks,
            contentLimit: order.limits.contentLength > 0 ? order.limits.contentLength : nil)
        redirects = RedirectPolicy(address: address.text, origin: address.origin)
        lowSpeed = LowSpeedDetector(order.limits, rate: order.limits.rate)
        pace = ReportPace(now: MonotonicTime.now, length: order.held.length)
        startAtOriginalAddress(address)
    }

    /// Returns the address of a request.
    ///
    /// - Throws: ``EngineFailure`` if it is not an address of a permitted scheme.
    static func address(of request: TransferRequest) throws(EngineFailure) -> WebAddress {
        guard let address = WebAddress(request.address), ["http", "https"].contains(address.origin.scheme) else {
            throw EngineFailure(.invalidAddress, "the address is not a valid http or https address")
        }
        guard address.origin.scheme == "https" || request.allowsInsecureHTTP else {
            throw EngineFailure(.invalidAddress, "the address is http, which is not permitted: use https")
        }
        return address
    }

    /// Whether the transfer has reported its end.
    private(set) var hasEnded = false

    /// The earliest host time at which ``handleTime(_:)`` has something to do, in nanoseconds; nil if there is none.
    var deadline: Int64? {
        guard ending == nil else { return nil }
        let length = part.length
        return [lowSpeed.deadline, pace.nextSynchronization(length: length), pace.nextReport(length: length)]
            .compactMap { $0 }.min()
    }

    /// Reports the progress and synchronises the part file if it is time.
    ///
    /// - Returns: True if the transfer has become too slow; the caller removes the request from libcurl and then calls
    ///   ``end(with:)``.
    func handleTime(_ now: Int64) -> Bool {
        guard ending == nil else { return false }
        if let deadline = lowSpeed.deadline, deadline <= now { return true }
        reportIfDue(now: now)
        synchronizeIfDue(now: now)
        return false
    }

    /// Reports the length of the part file if it is new and enough time has passed.
    func reportIfDue(now: Int64) {
        guard pace.nextReport(length: part.length) != nil, pace.isReportDue(now: now) else { return }
        pace.recordReport(length: part.length)
        output.sendIfPossible(.progress(transfer: order.transfer, length: part.length))
    }

    /// The failure of a transfer that is too slow.
    var lowSpeedFailure: EngineFailure {
        EngineFailure(
            .timeout,
            "the server sends less than \(order.limits.lowSpeed) bytes a second for "
                + "\(order.limits.lowSpeedTime / 1000) s")
    }

    /// Begins the end of the transfer: synchronises the files, and then reports the end. libcurl no longer uses the
    /// request.
    func end(with ending: TransferEnding) {
        guard self.ending == nil else { return }
        self.ending = ending
        lowSpeed.stop()
        part.releaseReservation()
        advanceEnding()
    }

    /// Handles that a file was synchronised, or could not be.
    func handleSynchronization(_ outcome: FileSynchronizer.Outcome) {
        pace.isSynchronizing = false
        if let error = outcome.error {
            // The kernel forgets which pages it could not write, so that another attempt would seem to succeed.
            let isPart = outcome.work != .synchronizeErrorPage
            if isPart { discardUncertainBytes() }
            ending = .failed(
                EngineFailure(
                    .disk, "the file cannot be written to the disk: \(error)", code: error.number,
                    mayHaveLostBytes: isPart))
            return reportEnd()
        }
        if outcome.work == .synchronizeErrorPage {
            files.errorPage?.recordSynchronization(upTo: outcome.length, generation: outcome.generation)
            return advanceEnding()
        }
        // The file does not change after the end of the body.
        digest = outcome.digest
        let previousLength = part.durableLength
        part.recordSynchronization(upTo: outcome.length, generation: outcome.generation)
        if part.durableLength > previousLength {
            output.send(.checkpoint(transfer: order.transfer, durableLength: part.durableLength))
        }
        if ending != nil { advanceEnding() }
    }

    /// Discards the bytes of the part file that could not be synchronised. The kernel may have dropped them, but the
    /// file keeps its length, which a ledger that starts again would trust.
    private func discardUncertainBytes() { try? part.truncate(to: part.durableLength) }

    /// Synchronises the part file if enough bytes or time have passed. Between synchronisations, lets the disk write
    /// what has arrived, so that the synchronisation at the end waits for little.
    func synchronizeIfDue(now: Int64) {
        if pace.isSynchronizationDue(length: part.length, now: now) {
            synchronize(now: now)
        } else if pace.isWritebackDue(length: part.length) {
            pace.startWriteback(length: part.length)
            submit(.startWriteback, on: part)
        }
    }

    private func synchronize(now: Int64) {
        pace.startSynchronization(length: part.length, now: now)
        submit(needsDigest ? .synchronizeAndDigest : .synchronize, on: part)
    }

    private func submit(_ work: FileSynchronizer.Work, on file: PartFile) {
        services.synchronizer.submit(
            FileSynchronizer.Job(
                transfer: order.transfer, descriptor: file.descriptor, generation: file.generation,
                length: file.length, work: work))
    }

    /// The file of a whole error page that is not on the disk yet.
    private var unsynchronizedErrorPage: PartFile? {
        guard case .finished = ending, exchange.plan?.use == .errorPage, let page = files.errorPage else { return nil }
        return page.durableLength < page.length ? page : nil
    }

    /// Whether the content has arrived, and its digest must be compared.
    private var needsDigest: Bool {
        guard order.digest != nil, case .finished = ending else { return false }
        return exchange.plan?.use != .errorPage && exchange.plan?.use != .errorPageInPart
    }

    /// Synchronises the rest of the files, or reports the end if they are on the disk and the content has the expected
    /// digest.
    private func advanceEnding() {
        guard !pace.isSynchronizing else { return }
        if part.durableLength < part.length || (needsDigest && digest == nil) {
            return synchronize(now: MonotonicTime.now)
        }
        if let page = unsynchronizedErrorPage {
            pace.isSynchronizing = true
            return submit(.synchronizeErrorPage, on: page)
        }
        if needsDigest, digest != order.digest?.bytes {
            ending = .failed(EngineFailure(.wrongDigest, "the received file does not have the expected digest"))
        }
        reportEnd()
    }

    /// Synchronises the files on this thread and reports the end, because the engine exits.
    func endAtOnce() {
        guard !hasEnded else { return }
        part.releaseReservation()
        var isSynchronized = true
        if part.durableLength < part.length {
            isSynchronized = FileSynchronizer.synchronize(part.descriptor) == nil
            if isSynchronized {
                part.recordSynchronization(upTo: part.length, generation: part.generation)
            } else {
                discardUncertainBytes()
            }
        }
        if let page = unsynchronizedErrorPage {
            isSynchronized = isSynchronized && FileSynchronizer.synchronize(page.descriptor) == nil
        }
        // A finished transfer whose content is on the disk has finished; every other transfer is stopped.
        if case .finished = ending, isSynchronized, !needsDigest {} else { ending = .stopped }
        reportEnd()
    }

    private func reportEnd() {
        guard !hasEnded, let ending else { return }
        hasEnded = true
        let transfer = order.transfer
        switch ending {
        case .finished(let status):
            let isErrorPage = exchange.plan?.use == .errorPage
            let length = isErrorPage ? files.errorPage?.length ?? 0 : part.length
            output.send(
                .finished(transfer: transfer, length: length, status: UInt16(clamping: status)))
        case .failed(var failure):
            failure.durableLength = part.durableLength
            output.send(.failed(transfer: transfer, failure))
        case .stopped: output.send(.stopped(transfer: transfer, durableLength: part.durableLength))
        }
    }
}
