import BackgroundProtocol
import CLinux
import Glibc
import SwiftPlayBackground
import SystemCalls

/// Shows the progress of transfers until all of them have ended: one line for each on a terminal, otherwise one line
/// for each change of state.
struct TransferProgress {
    /// The shortest time between two drawings, in nanoseconds.
    private static let interval: Int64 = 100_000_000
    /// The time between two checks whether the service can be reached, in nanoseconds.
    private static let checkInterval = 5 * MonotonicTime.nanosecondsPerSecond
    /// Whether standard output is a terminal.
    private let isTerminal = isatty(STDOUT_FILENO) != 0
    /// The number of lines that were drawn last.
    private var lineCount = 0
    /// The texts that were printed last, by the keys of the transfers.
    private var printedTexts: [Int64: String] = [:]
    /// The received bytes and the time at the last measurement of the rate, by the keys of the transfers.
    private var measurements: [Int64: (time: Int64, bytes: Int64, rate: Int64?)] = [:]
    /// The host time of the last drawing.
    private var lastDrawing: Int64 = 0

    /// Shows the transfers with the keys `ids` until `isDone` returns true for all of them or a signal arrives.
    ///
    /// The client must follow the transfers, because the service can be started again meanwhile.
    ///
    /// - Returns: The transfers, without those that the service no longer knows; nil if a signal has arrived.
    /// - Throws: ``BackgroundLinkError`` if the service cannot be reached any more.
    mutating func show(
        _ client: TransferClient, _ signals: borrowing SignalDescriptor, _ ids: Set<Int64>,
        isDone: (TaskSnapshot) -> Bool
    ) throws(BackgroundLinkError) -> [TaskSnapshot]? {
        var checkTime = MonotonicTime.now
        while true {
            if let failure = client.failure { throw BackgroundLinkError(failure) }
            let current = client.completeList?.filter { ids.contains($0.id) }
            let now = MonotonicTime.now
            if let current {
                let isFinished = current.allSatisfy(isDone)
                if isFinished || now >= lastDrawing + Self.interval { draw(current, now: now) }
                if isFinished { return current }
            }
            if current == nil || now >= checkTime {
                client.checkReports()
                checkTime = now + Self.checkInterval
            }
            var entries = [Poll.Entry(client.changes.raw), Poll.Entry(signals.descriptor.raw)]
            // Waiting transfers show a rest of time, which changes without a report.
            let deadline = max(lastDrawing + Self.interval, isTerminal ? now + 1_000_000_000 : .max)
            _ = try? Poll.wait(&entries, until: min(deadline, checkTime))
            if entries[1].isReady, signals.next() != nil { return nil }
            if client.changes.drain() {
                // Several reports are drawn together.
                let pause = lastDrawing + Self.interval - MonotonicTime.now
                if pause > 0, isTerminal { MonotonicTime.sleep(pause) }
            }
        }
    }

    /// Draws or prints the transfers.
    private mutating func draw(_ transfers: [TaskSnapshot], now: Int64) {
        lastDrawing = now
        var output = ""
        if isTerminal {
            var size = winsize()
            let columns = clinux_window_size(STDOUT_FILENO, &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
            if lineCount > 0 { output += "\u{1B}[\(lineCount)A" }
            for transfer in transfers {
                let rate = rate(of: transfer, now: now)
                output += "\r\u{1B}[K" + TransferText.line(of: transfer, rate: rate, columns: columns - 1) + "\n"
            }
            lineCount = transfers.count
        } else {
            for transfer in transfers {
                let isFinished = transfer.activity.phase == .finished
                let text = isFinished ? "done" : TransferText.printable(TransferText.state(of: transfer))
                // The rest of a delay changes all the time and is not printed again.
                let kind = text.split(separator: " in ").first.map(String.init) ?? text
                guard printedTexts[transfer.id] != kind else { continue }
                printedTexts[transfer.id] = kind
                output += "\(TransferText.printable(TransferText.name(of: transfer))): \(text)\n"
            }
        }
        print(output, terminator: "")
        fflush(nil)
    }

    /// Returns the rate of a transfer in bytes a second, measured over a second.
    private mutating func rate(of transfer: TaskSnapshot, now: Int64) -> Int64? {
        let bytes = transfer.bytes.done
        guard let last = measurements[transfer.id], bytes >= last.bytes else {
            measurements[transfer.id] = (now, bytes, nil)
            return nil
        }
        guard now - last.time >= MonotonicTime.nanosecondsPerSecond else { return last.rate }
        let seconds = Double(now - last.time) / Double(MonotonicTime.nanosecondsPerSecond)
        let rate = Int64(Double(bytes - last.bytes) / seconds)
        measurements[transfer.id] = (now, bytes, rate)
        return rate
    }
}
