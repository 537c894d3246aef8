import BackgroundProtocol
import CCurl
import Glibc
import SystemCalls
import WireFormat

/// The loop of the thread `transfer`: receives orders from the ledger and performs them.
final class EngineLoop {
    private let ledger: MessageSocket
    private let output: EngineOutput
    private let synchronizer: FileSynchronizer
    private let polling: PollingSet
    private let multi: CurlMulti
    /// The transfers that have not reported their end, by number.
    private var transfers: [UInt64: EngineTransfer] = [:]
    /// The streams whose lines go to the ledger, by number.
    private var listeners: [UInt64: EngineListener] = [:]
    /// Whether the ledger has sent its version.
    private var isGreeted = false
    /// Whether the loop ends: the ledger has ended the connection, violates the protocol, or wants the engine to exit.
    private var isEnding = false

    /// The maximum numbers of transfers and of streams at the same time.
    static let transferLimit = 64, listenerLimit = 4

    /// Creates the loop for a connected ledger.
    ///
    /// - Throws: `SystemCallError` if descriptors or memory are exhausted.
    init(_ ledger: MessageSocket) throws(SystemCallError) {
        self.ledger = ledger
        output = EngineOutput(ledger)
        synchronizer = try FileSynchronizer()
        polling = try PollingSet()
        guard let multi = CurlMulti(polling) else { throw SystemCallError(call: "curl_multi_init", number: ENOMEM) }
        self.multi = multi
        polling.set(ledger.raw, .readable)
        polling.set(synchronizer.outcomeEvent.raw, .readable)
    }

    /// Performs transfers until the ledger ends the connection. Synchronises all part files before it returns.
    func run() {
        output.send(.hello(version: EngineLimits.version))
        while !isEnding, !output.isLost {
            do throws(SystemCallError) {
                for ready in try polling.wait(until: deadline) { handle(ready) }
            } catch { break }
            let now = MonotonicTime.now
            if let deadline = multi.deadline, deadline <= now { multi.handleTimeout() }
            handleResults()
            handleTime(MonotonicTime.now)
        }
        for transfer in transfers.values {
            if transfer.ending == nil { multi.remove(transfer.request) }
            transfer.endAtOnce()
        }
        for listener in listeners.values { multi.remove(listener.request) }
        (transfers, listeners) = ([:], [:])
    }

    /// The earliest host time at which the loop has something to do, in nanoseconds.
    private var deadline: Int64? {
        var earliest = multi.deadline
        for transfer in transfers.values {
            if let deadline = transfer.deadline { earliest = min(earliest ?? deadline, deadline) }
        }
        for listener in listeners.values { earliest = min(earliest ?? listener.deadline, listener.deadline) }
        return earliest
    }

    private func handle(_ ready: Epoll.Ready) {
        if ready.descriptor == ledger.raw {
            receiveCommands()
        } else if ready.descriptor == synchronizer.outcomeEvent.raw {
            for outcome in synchronizer.removeOutcomes() { handle(outcome) }
        } else {
            multi.handle(ready)
        }
    }

    /// Receives all commands that have arrived.
    private func receiveCommands() {
        while !isEnding {
            switch ledger.receive() {
            case .nothing: return
            case .closed: isEnding = true
            case .message(let message):
                do throws(MalformedMessage) {
                    perform(try EngineCommand(decoding: message.bytes), message.descriptors)
                } catch {
                    // Ledger and engine come from one package, so a message that is not understood is a fault.
                    EngineProgram.report("the ledger sent a \(error)")
                    isEnding = true
                }
            }
        }
    }

    private func perform(_ command: EngineCommand, _ descriptors: [SharedDescriptor]) {
        if case .hello(EngineLimits.version) = command {
            isGreeted = true
            return
        }
        guard isGreeted else {
            EngineProgram.report("the ledger speaks another version of the protocol: restart it")
            isEnding = true
            return
        }
        switch command {
        case .hello: isEnding = true
        case .start(let order): start(order, descriptors)
        case .plan(let order): PackagePlanner.perform(order, descriptors, output)
        case .listen(let order): listen(order)
        case .stop(let number):
            if let listener = listeners.removeValue(forKey: number) {
                multi.remove(listener.request)
                return output.send(.stopped(transfer: number, durableLength: 0))
            }
            end(number, .stopped)
        case .limitRate(let number, let bytesPerSecond): transfers[number]?.limitRate(bytesPerSecond)
        case .quit: isEnding = true
        }
    }

    private func start(_ order: TransferOrder, _ descriptors: [SharedDescriptor]) {
        do throws(EngineFailure) {
            guard transfers[order.transfer] == nil, transfers.count < Self.transferLimit else {
                throw EngineFailure(.engine, "too many transfers, or a number that is in use")
            }
            let transfer = try EngineTransfer(
                order, descriptors, EngineTransfer.Services(output: output, synchronizer: synchronizer))
            transfers[order.transfer] = transfer
            send(transfer)
        } catch { output.send(.failed(transfer: order.transfer, error)) }
    }

    private func listen(_ order: ListenOrder) {
        do throws(EngineFailure) {
            guard listeners[order.transfer] == nil, listeners.count < Self.listenerLimit else {
                throw EngineFailure(.engine, "too many streams, or a number that is in use")
            }
            let listener = try EngineListener(order, output)
            guard multi.add(listener.request) else { throw EngineFailure(.engine, "no memory for a request") }
            listeners[order.transfer] = listener
        } catch { output.send(.failed(transfer: order.transfer, error)) }
    }

    /// Sends the next request of a transfer.
    private func send(_ transfer: EngineTransfer) {
        transfer.prepareRequest()
        if !multi.add(transfer.request) {
            transfer.end(with: .failed(EngineFailure(.engine, "no memory for a request")))
            removeIfEnded(transfer)
        }
    }

    /// Ends a running transfer. Does nothing if the transfer has ended or is ending.
    private func end(_ number: UInt64, _ ending: TransferEnding) {
        guard let transfer = transfers[number], transfer.ending == nil else { return }
        multi.remove(transfer.request)
        transfer.end(with: ending)
        removeIfEnded(transfer)
    }

    /// Handles the requests that libcurl has finished.
    private func handleResults() {
        while let (handle, result) = multi.nextResult() {
            if let listener = listeners.values.first(where: { $0.request.handle == handle }) {
                multi.remove(listener.request)
                listeners[listener.order.transfer] = nil
                listener.reportEnd(result)
                continue
            }
            guard let transfer = transfers.values.first(where: { $0.request.handle == handle }) else { continue }
            let sendsAgain = transfer.handleResult(result)
            multi.remove(transfer.request)
            if sendsAgain { send(transfer) } else { removeIfEnded(transfer) }
        }
    }

    private func handleTime(_ now: Int64) {
        for (number, transfer) in transfers where transfer.handleTime(now) {
            end(number, .failed(transfer.lowSpeedFailure))
        }
        for (number, listener) in listeners where listener.deadline <= now {
            multi.remove(listener.request)
            listeners[number] = nil
            listener.reportSilence()
        }
    }

    private func handle(_ outcome: FileSynchronizer.Outcome) {
        guard let transfer = transfers[outcome.transfer] else { return }
        let wasRunning = transfer.ending == nil
        transfer.handleSynchronization(outcome)
        if wasRunning, transfer.ending != nil { multi.remove(transfer.request) }
        removeIfEnded(transfer)
    }

    private func removeIfEnded(_ transfer: EngineTransfer) {
        if transfer.hasEnded { transfers[transfer.order.transfer] = nil }
    }
}
