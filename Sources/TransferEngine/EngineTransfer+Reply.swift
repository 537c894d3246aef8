import BackgroundProtocol
import CCurl
import Glibc
import SystemCalls
import TransferPolicy

/// Handles the responses of a transfer. The judge decides about a response before the first byte of its body is
/// written.
extension EngineTransfer {
    /// Receives one line of a response head. Returns false to close the connection.
    func receiveHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        lowSpeed.record(line.count, now: MonotonicTime.now)
        switch exchange.parser.read(line) {
        case .more: return true
        case .malformed:
            exchange.nextStep = .fail(EngineFailure(.badResponse, "the head of the response is malformed"))
            return false
        case .head(let status, let fields):
            let head = ReplyHead(status: status, fields: fields, isRedirected: redirects.count > 0)
            exchange.head = head
            handle(head)
            return exchange.nextStep == nil || exchange.canDiscardBody || judge.request.isHead
        }
    }

    /// Decides about a response.
    private func handle(_ head: ReplyHead) {
        if RedirectPolicy.isRedirect(status: head.status), let location = head["location"] {
            let target = WebAddress(location, relativeTo: address)
            switch redirects.handle(status: head.status, address: target?.text, target: target?.origin) {
            case .follow:
                if let target { address = target }
                exchange.nextStep = .send
            case .refuse(let fault): exchange.nextStep = .fail(EngineFailure(fault))
            }
            return
        }
        handle(judge.judge(head, now: Int64(time(nil))))
    }

    /// Carries out a verdict.
    private func handle(_ verdict: ReplyVerdict) {
        switch verdict {
        case .accept(let plan):
            do throws(EngineFailure) { try beginBody(plan) } catch { exchange.nextStep = .fail(error) }
        case .complete: exchange.nextStep = .complete
        case .askAgain:
            reportQuirks()
            if let original = WebAddress(order.request.address) { startAtOriginalAddress(original) }
            exchange.nextStep = .send
        case .fail(let fault): exchange.nextStep = .fail(EngineFailure(fault))
        }
    }

    /// Reports the quirks that the host has shown since the order.
    private func reportQuirks() {
        let newQuirks = judge.quirks.subtracting(order.quirks)
        guard !newQuirks.isEmpty, let original = WebAddress(order.request.address) else { return }
        output.send(.quirksObserved(host: original.origin.host, judge.quirks))
    }

    /// Prepares the files for an accepted body, and reports the response.
    func beginBody(_ plan: BodyPlan) throws(EngineFailure) {
        guard let head = exchange.head else { return }
        let event = EngineEvent.response(transfer: order.transfer, response(head, plan))
        try EngineOutput.check(event)
        exchange.plan = plan
        do throws(SystemCallError) {
            if plan.emptiesPart, part.length > 0 {
                try part.truncate(to: 0)
                pace.truncate(to: 0)
                output.send(.emptied(transfer: order.transfer))
                reportQuirks()
            }
        } catch { throw diskFailure(error) }
        if plan.use != .errorPage, plan.use != .errorPageInPart, let total = plan.total {
            try reserveSpace(upTo: total)
        }
        output.send(event)
    }

    /// Reserves disk space for the whole content.
    private func reserveSpace(upTo total: Int64) throws(EngineFailure) {
        do throws(SystemCallError) { try part.reserve(upTo: total) } catch {
            guard error.number == EFBIG else { throw diskFailure(error) }
            throw EngineFailure(.tooLarge, "the content has \(total) bytes, more than a file may have")
        }
    }

    /// Returns the failure of a file operation.
    private func diskFailure(_ error: SystemCallError) -> EngineFailure {
        EngineFailure(.disk, "the part file cannot be written: \(error.reason)", code: error.number)
    }

    /// Receives bytes of a body. Returns false to close the connection.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let now = MonotonicTime.now
        lowSpeed.record(bytes.count, now: now)
        guard exchange.nextStep == nil, let plan = exchange.plan else {
            exchange.discardedByteCount += Int64(bytes.count)
            return exchange.discardedByteCount <= TransferExchange.discardLimit
        }
        if let bodyLength = plan.bodyLength, exchange.receivedByteCount + Int64(bytes.count) > bodyLength {
            rejectOverlongBody(plan)
            return false
        }
        let isAccepted = compareAndWrite(bytes, plan)
        guard isAccepted else { return false }
        reportIfDue(now: now)
        synchronizeIfDue(now: now)
        return true
    }

    /// Discards a body that is longer than its head states: none of its bytes can be trusted.
    private func rejectOverlongBody(_ plan: BodyPlan) {
        let failure = EngineFailure(.badResponse, "the server sent more bytes than it has announced")
        // The part file holds what earlier attempts have received, and stays.
        guard plan.use != .errorPage else { return exchange.nextStep = .fail(failure) }
        do throws(SystemCallError) {
            try part.truncate(to: plan.use == .rest ? plan.offset : 0)
            pace.truncate(to: part.length)
        } catch {
            exchange.nextStep = .fail(diskFailure(error))
            return
        }
        if plan.use == .rest {
            exchange.plan = nil
            handle(judge.handleWrongPart())
        } else {
            output.send(.emptied(transfer: order.transfer))
            exchange.nextStep = .fail(failure)
        }
    }

    /// Compares the bytes of the overlap with the part file, and writes the other bytes.
    private func compareAndWrite(_ bytes: UnsafeRawBufferPointer, _ plan: BodyPlan) -> Bool {
        let overlapCount = Int(clamping: max(0, plan.overlap - exchange.receivedByteCount))
        let comparedBytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(overlapCount))
        let newBytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(overlapCount))
        do throws(SystemCallError) {
            let offset = plan.offset - plan.overlap + exchange.receivedByteCount
            guard try part.matches(comparedBytes, at: offset) else {
                exchange.plan = nil
                handle(judge.handleDifferentOverlap())
                return false
            }
            exchange.receivedByteCount += Int64(bytes.count)
            guard !newBytes.isEmpty else { return true }
            if plan.use == .errorPage {
                guard isWithin(PartFile.errorPageLimit, files.errorPage, newBytes.count) else { return false }
                try files.errorPage?.append(newBytes)
            } else {
                guard isWithin(order.limits.contentLength, part, newBytes.count) else { return false }
                try part.append(newBytes)
            }
            return true
        } catch {
            exchange.nextStep = .fail(diskFailure(error))
            return false
        }
    }

    /// Checks the limit of a file for bodies whose length is not announced. Zero stands for no limit.
    private func isWithin(_ limit: Int64, _ file: PartFile?, _ count: Int) -> Bool {
        if limit == 0 || (file?.length ?? 0) + Int64(count) <= limit { return true }
        exchange.nextStep = .fail(
            EngineFailure(.tooLarge, "the content has more than the permitted \(limit) bytes"))
        return false
    }

    /// Handles that libcurl has finished the request.
    ///
    /// - Returns: True if the next request must be sent; ``prepareRequest()`` prepares it.
    func handleResult(_ result: CURLcode) -> Bool {
        lowSpeed.stop()
        switch exchange.nextStep {
        case .send: return true
        case .complete:
            output.send(.response(transfer: order.transfer, completeResponse))
            end(with: .finished(status: 200))
        case .fail(let failure): end(with: .failed(failure))
        case nil: endAfterBody(result)
        }
        return false
    }

    /// Ends the transfer after the body of an accepted response, or after a failure of the network.
    private func endAfterBody(_ result: CURLcode) {
        guard result == CURLE_OK else {
            return end(with: .failed(request.failure(for: result, host: address.origin.host)))
        }
        guard let head = exchange.head, let plan = exchange.plan else {
            return end(with: .failed(EngineFailure(.badResponse, "the server sent no final response")))
        }
        if let bodyLength = plan.bodyLength, exchange.receivedByteCount < bodyLength {
            return end(with: .failed(EngineFailure(.network, "the connection ended early")))
        }
        guard !isPossiblyCut(head) else {
            return end(
                with: .failed(
                    EngineFailure(
                        .network, "the connection ended without close_notify, so that content may be missing")))
        }
        end(with: .finished(status: head.status))
    }

    /// Whether a body has no other end than that of its TLS connection, and the server has not ended TLS. Without TLS,
    /// a body that was cut cannot be recognised; HTTP/2 marks the end of each body.
    private func isPossiblyCut(_ head: ReplyHead) -> Bool {
        let version = request.integer(CURLINFO_HTTP_VERSION)
        return head.endsWithConnection && address.origin.scheme == "https" && !request.hasCleanTLSEnd
            && (version == Int(CURL_HTTP_VERSION_1_0) || version == Int(CURL_HTTP_VERSION_1_1))
    }
}
