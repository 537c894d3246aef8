import CCurl
import SystemCalls

/// The main loop of the thread "network": performs transfers with libcurl and reports their results.
struct TransferLoop: ~Copyable {
    private let commands: TransferCommands
    /// libcurl's multi handle for all transfers and connections; owned by this loop. Nil if memory is exhausted.
    private let multi: OpaquePointer?
    /// libcurl's store of the cookies that servers set, shared by all transfers of this loop; owned by this loop. Needs
    /// no locks, because only this thread uses it. Nil if memory is exhausted.
    private let cookies: OpaquePointer?
    /// The running transfers, by the identity of their channels.
    private var transfers: [ObjectIdentifier: ActiveTransfer] = [:]

    /// The maximum number of idle connections that are kept for further requests.
    private static let idleConnections = 16

    init(_ commands: TransferCommands) {
        self.commands = commands
        _ = Self.initialization
        multi = curl_multi_init().map { OpaquePointer($0) }
        cookies = curl_share_init().map { OpaquePointer($0) }
        if let cookies { ccurl_share_cookies(UnsafeMutableRawPointer(cookies)) }
        guard let multi else { return }
        ccurl_multi_set_integer(UnsafeMutableRawPointer(multi), CURLMOPT_MAXCONNECTS, Self.idleConnections)
        ccurl_multi_set_integer(UnsafeMutableRawPointer(multi), CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    }

    deinit {
        if let multi { curl_multi_cleanup(UnsafeMutableRawPointer(multi)) }
        if let cookies { curl_share_cleanup(UnsafeMutableRawPointer(cookies)) }
    }

    /// Initialises libcurl once per process.
    private static let initialization = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Performs transfers until the command `close` arrives.
    mutating func run() {
        while performCommands() {
            guard let multi = multi.map({ UnsafeMutableRawPointer($0) }) else {
                _ = try? Poll.waitReadable(commands.arrival.raw, until: nil)
                continue
            }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            endFinishedTransfers(multi)
            let now = MonotonicTime.now
            endSilentTransfers(now: now)
            var arrival = curl_waitfd(fd: commands.arrival.raw, events: Int16(CURL_WAIT_POLLIN), revents: 0)
            curl_multi_poll(multi, &arrival, 1, Self.milliseconds(until: deadline, now: now), nil)
        }
        for transfer in transfers.values { end(transfer, .cancelled, "the program no longer needs it") }
    }

    /// The host time, in nanoseconds, at which the next silent transfer times out; nil if there is none.
    private var deadline: Int64? { transfers.values.compactMap(\.deadline).min() }

    /// Returns the time from `now` until a host time, in milliseconds, rounded up; an hour if there is no deadline.
    private static func milliseconds(until deadline: Int64?, now: Int64) -> Int32 {
        guard let deadline else { return 3_600_000 }
        return Int32(clamping: max(0, (deadline - now + 999_999) / 1_000_000))
    }

    /// Executes the queued commands of readers; returns false if the thread must end.
    private mutating func performCommands() -> Bool {
        for command in commands.take() {
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
        guard let multi, let transfer = ActiveTransfer(request, channel) else {
            return channel.fail(HTTPError(.outOfResources, request.address, "no memory for a request"))
        }
        transfer.report(.began(isMedia: request.isMedia))
        do throws(HTTPError) {
            try transfer.prepare(cookies: cookies.map { UnsafeMutableRawPointer($0) })
            guard curl_multi_add_handle(UnsafeMutableRawPointer(multi), transfer.easy) == CURLM_OK else {
                throw HTTPError(.outOfResources, request.address, "no memory for a request")
            }
        } catch {
            transfer.reportEnd(error)
            return channel.fail(error)
        }
        transfers[ObjectIdentifier(channel)] = transfer
    }

    /// Removes the transfers that libcurl has finished, and reports their results.
    private mutating func endFinishedTransfers(_ multi: UnsafeMutableRawPointer) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = message.pointee.data.result
            guard let transfer = transfers.values.first(where: { $0.easy == easy }) else { continue }
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
        if let multi { curl_multi_remove_handle(UnsafeMutableRawPointer(multi), transfer.easy) }
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
        changed.signal()
    }
}
