import CCurl
import SystemCalls

/// The main loop of the network thread: performs transfers with libcurl and records their results.
struct TransferLoop: ~Copyable {
    private let commands: TransferCommandQueue
    /// libcurl's multi handle for all transfers and connections; owned by this loop. Nil if memory is exhausted.
    private let multiHandle: OpaquePointer?
    /// libcurl's store of the cookies that servers set, shared by all transfers of this loop; owned by this loop. Needs
    /// no locks, because only this thread uses it. Nil if memory is exhausted.
    private let cookieStore: OpaquePointer?
    /// The running transfers, by the identity of their channels.
    private var transfers: [ObjectIdentifier: ActiveTransfer] = [:]

    /// The maximum number of idle connections that are kept for further requests.
    private static let idleConnectionLimit = 16

    init(_ commands: TransferCommandQueue) {
        self.commands = commands
        _ = Self.globalInitialization
        multiHandle = curl_multi_init().map { OpaquePointer($0) }
        cookieStore = curl_share_init().map { OpaquePointer($0) }
        if let cookieStore { ccurl_share_cookies(UnsafeMutableRawPointer(cookieStore)) }
        guard let multiHandle else { return }
        ccurl_multi_set_integer(UnsafeMutableRawPointer(multiHandle), CURLMOPT_MAXCONNECTS, Self.idleConnectionLimit)
        ccurl_multi_set_integer(UnsafeMutableRawPointer(multiHandle), CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    deinit {
        if let multiHandle { curl_multi_cleanup(UnsafeMutableRawPointer(multiHandle)) }
        if let cookieStore { curl_share_cleanup(UnsafeMutableRawPointer(cookieStore)) }
    }

    /// Initialises libcurl once per process.
    private static let globalInitialization = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Performs transfers until the command `close` arrives.
    mutating func run() {
        while performCommands() {
            guard let multiHandle = multiHandle.map({ UnsafeMutableRawPointer($0) }) else {
                _ = try? Poll.waitReadable(commands.arrivalEvent.raw, until: nil)
                continue
            }
            var runningTransferCount: Int32 = 0
            curl_multi_perform(multiHandle, &runningTransferCount)
            endFinishedTransfers(multiHandle)
            let now = MonotonicTime.now
            endSilentTransfers(now: now)
            var arrivalEntry = curl_waitfd(fd: commands.arrivalEvent.raw, events: Int16(CURL_WAIT_POLLIN), revents: 0)
            curl_multi_poll(multiHandle, &arrivalEntry, 1, Self.milliseconds(until: deadline, now: now), nil)
        }
        for transfer in transfers.values { end(transfer, .cancelled, "the program no longer needs it") }
    }

    /// The earliest host time, in nanoseconds, at which a transfer times out; nil if no transfer can time out.
    private var deadline: Int64? { transfers.values.compactMap(\.deadline).min() }

    /// Returns the time from `now` until a host time, in milliseconds, rounded up; an hour if there is no deadline.
    private static func milliseconds(until deadline: Int64?, now: Int64) -> Int32 {
        guard let deadline else { return 3_600_000 }
        return Int32(clamping: max(0, (deadline - now + 999_999) / 1_000_000))
    }

    /// Executes the queued commands of readers; returns false if the thread must end.
    private mutating func performCommands() -> Bool {
        for command in commands.removeAll() {
            switch command {
            case .close: return false
            case .start(let request, let channel): start(request, channel)
            case .resume(let channel): transfers[ObjectIdentifier(channel)]?.resume()
            case .cancel(let channel):
                if let transfer = transfers[ObjectIdentifier(channel)] {
                    end(transfer, .cancelled, "the program no longer needs it")
                }
            }
        }
        return true
    }

    private mutating func start(_ request: HTTPRequest, _ channel: TransferChannel) {
        guard !channel.state.withLock({ $0.isCancelled }) else { return }
        guard let multiHandle, let transfer = ActiveTransfer(request, channel) else {
            return channel.fail(HTTPError(.outOfResources, request.address, "no memory for a request"))
        }
        transfer.report(.began(isMedia: request.isMedia))
        do throws(HTTPError) {
            try transfer.prepare(cookieStore: cookieStore.map { UnsafeMutableRawPointer($0) })
            guard curl_multi_add_handle(UnsafeMutableRawPointer(multiHandle), transfer.easyHandle) == CURLM_OK else {
                throw HTTPError(.outOfResources, request.address, "no memory for a request")
            }
        } catch {
            transfer.reportEnd(error)
            return channel.fail(error)
        }
        transfers[ObjectIdentifier(channel)] = transfer
    }

    /// Removes the transfers that libcurl has finished, and reports their results.
    private mutating func endFinishedTransfers(_ multiHandle: UnsafeMutableRawPointer) {
        var remainingMessageCount: Int32 = 0
        while let message = curl_multi_info_read(multiHandle, &remainingMessageCount) {
            guard message.pointee.msg == CURLMSG_DONE, let easyHandle = message.pointee.easy_handle else { continue }
            let result = message.pointee.data.result
            guard let transfer = transfers.values.first(where: { $0.easyHandle == easyHandle }) else { continue }
            let error = transfer.error(after: result)
            transfer.reportEnd(error)
            remove(transfer)
            transfer.channel.finish(error)
        }
    }

    /// Ends the transfers whose servers have sent nothing for too long.
    private mutating func endSilentTransfers(now: Int64) {
        for transfer in transfers.values where transfer.deadline.map({ $0 <= now }) ?? false {
            let seconds = Double(transfer.request.options.timeout) / 1e9
            let time = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
            end(transfer, .timeout, "the server sent nothing for \(time) s")
        }
    }

    /// Ends a transfer with an error.
    private mutating func end(_ transfer: ActiveTransfer, _ code: HTTPError.Code, _ message: String) {
        let error = HTTPError(code, transfer.address, message)
        transfer.reportEnd(error)
        remove(transfer)
        transfer.channel.fail(error)
    }

    private mutating func remove(_ transfer: ActiveTransfer) {
        if let multiHandle { curl_multi_remove_handle(UnsafeMutableRawPointer(multiHandle), transfer.easyHandle) }
        transfers[ObjectIdentifier(transfer.channel)] = nil
    }
}

extension TransferChannel {
    /// Records the end of the transfer with an error.
    func fail(_ error: HTTPError) { finish(error) }

    /// Records the end of the transfer, and wakes the reader. A nil error means that the content is complete.
    func finish(_ error: HTTPError?) {
        state.withLock { state in
            state.hasEnded = true
            state.error = error
        }
        changeEvent.signal()
    }
}
