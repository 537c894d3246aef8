import BackgroundProtocol
import CLinux
import Glibc
import Logging
import SystemCalls
import WireFormat

/// The engine as the transfers see it.
protocol EngineControl: AnyObject {
    /// Called with each message of the engine.
    var onEvent: (EngineEvent) -> Void { get set }
    /// Called when the engine has exited. All runs have ended.
    var onExit: () -> Void { get set }
    /// The process ID of the engine; nil if it does not run.
    var processID: Int32? { get }
    /// The host time before which the engine is not started, or takes no orders.
    var nextStart: Int64 { get }
    /// The reason why the engine cannot run, for listings; nil if it can.
    var fault: String? { get }
    /// Returns whether a run can be started now, and starts the engine if necessary.
    func isReady(now: Int64) -> Bool
    /// Sends a command to the running engine; returns false if the engine has exited or cannot take the command now.
    func send(_ command: EngineCommand, descriptors: [Int32]) -> Bool
    /// Records whether the engine has a run. Without one, it is asked to exit after a while.
    func setIsBusy(_ isBusy: Bool, now: Int64)
    /// Whether the engine reads a stream. It is not asked to exit then.
    var isListening: Bool { get set }
}

/// The engine process, which moves the bytes, and the socket to it. The process runs only while there is work.
final class EngineLink: EngineControl, EventSource {
    /// The descriptor numbers of the socket and of the lock file in the engine.
    private static let socketNumber: Int32 = 3, lockNumber: Int32 = 4
    /// The time after which the link looks again whether an engine of an earlier service has exited, in nanoseconds.
    private static let lockInterval: Int64 = 20_000_000
    /// The time without a run after which the engine is asked to exit, in nanoseconds. Until then, connections to
    /// servers are used again.
    private static let idleTime: Int64 = 5 * MonotonicTime.nanosecondsPerSecond
    /// The longest delay before the engine is started again after a crash, in nanoseconds.
    private static let longestDelay: Int64 = 60 * MonotonicTime.nanosecondsPerSecond
    /// The size of the buffer for orders that the engine has not read, in bytes. With the kernel's default limit it
    /// takes eight of the largest orders.
    private static let sendBuffer: Int32 = 512 * 1024
    /// The time after which an order is sent again that the engine could not take, in nanoseconds.
    private static let orderInterval: Int64 = 20_000_000
    /// The time without reading after which the engine is killed, in nanoseconds.
    private static let longestCongestion: Int64 = 10 * MonotonicTime.nanosecondsPerSecond
    /// The most messages that are read in one iteration of the event loop.
    private static let messagesPerIteration = 64

    /// The running engine.
    private struct Engine {
        let process: ServiceProcess
        let socket: MessageSocket
        /// Whether the engine was asked to exit, because it had no run.
        var isEnding = false
        /// The host time since which the engine takes no orders; nil if it does.
        var congestionStart: Int64?
    }

    private let loop: EventLoop
    private let logger: Logger
    /// The running engine; nil if there is none.
    private var engine: Engine?
    /// The number of unexpected exits in a row during which no run made progress.
    private var failureCount = 0
    /// The host time before which the engine is not started, or takes no orders.
    private(set) var nextStart: Int64 = 0
    /// The host time since which the engine has no run; nil while it has one.
    private var idleSince: Int64?
    var isListening = false { didSet { if isListening != oldValue { updateIdleTime(now: MonotonicTime.now) } } }
    /// Whether the engine has a run of a transfer.
    private var hasRuns = false
    /// Called with each message of the engine.
    var onEvent: (EngineEvent) -> Void = { _ in }
    /// Called when the engine has exited. All runs have ended.
    var onExit: () -> Void = {}
    /// The reason why the engine cannot run, for listings; nil if it can.
    private(set) var fault: String?

    /// Creates a link without a process.
    init(loop: EventLoop, logger: Logger) { (self.loop, self.logger) = (loop, logger) }

    /// The process ID of the engine; nil if it does not run.
    var processID: Int32? { engine?.process.processID }

    /// Returns whether a run can be started now, and starts the engine if necessary.
    func isReady(now: Int64) -> Bool {
        guard now >= nextStart else { return false }
        if engine != nil { return true }
        do throws(SystemCallError) {
            guard let lock = try lockFile() else {
                nextStart = now + Self.lockInterval
                return false
            }
            engine = try startEngine(lock)
            fault = nil
            return true
        } catch {
            fault = "swiftplay-transfer cannot be started: \(error.reason). Reinstall SwiftPlay."
            logger.error("cannot start swiftplay-transfer: \(error)")
            scheduleRestart(now: now)
            return false
        }
    }

    /// Sends a command to the running engine.
    ///
    /// - Returns: False if the engine has exited, cannot take the order now, or is killed because it does not read; its
    ///   exit follows.
    @discardableResult
    func send(_ command: EngineCommand, descriptors: [Int32] = []) -> Bool {
        guard let engine else { return false }
        do {
            try engine.socket.send(try command.encoded(), descriptors: descriptors)
            self.engine?.congestionStart = nil
            return true
        } catch {
            let isFull = (error as? SystemCallError)?.number == EAGAIN
            if isFull, command.isOrder, waitsForReading() { return false }
            logger.warning("swiftplay-transfer receives no commands: \(error)")
            engine.process.send(signal: SIGKILL)
            return false
        }
    }

    /// Delays the next order until the engine may have read earlier ones; returns false if that has lasted too long.
    private func waitsForReading() -> Bool {
        let now = MonotonicTime.now, start = engine?.congestionStart ?? now
        engine?.congestionStart = start
        nextStart = now + Self.orderInterval
        return now < start + Self.longestCongestion
    }

    /// Records whether the engine has a run. Without one, it is asked to exit after a while.
    func setIsBusy(_ isBusy: Bool, now: Int64) {
        hasRuns = isBusy
        updateIdleTime(now: now)
    }

    private func updateIdleTime(now: Int64) {
        idleSince = hasRuns || isListening || engine == nil ? nil : idleSince ?? now
    }

    /// Asks the engine to exit, and waits until it has synchronised the part files.
    func shutDown(until deadline: Int64) {
        guard let engine else { return }
        send(.quit)
        engine.socket.shutdown()
        if ChildProgram.waitForExit(of: engine.process.processID, until: deadline) == nil {
            engine.process.send(signal: SIGKILL)
        }
        self.engine = nil
    }

    // MARK: EventSource

    var entries: [Poll.Entry] { [Poll.Entry(engine?.socket.raw ?? -1)] }
    var deadline: Int64? { idleSince.map { $0 + Self.idleTime } }

    /// Reads the messages of the engine.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let idleSince, now >= idleSince + Self.idleTime {
            self.idleSince = nil
            engine?.isEnding = true
            send(.quit)
        }
        guard ready.contains(where: { $0.isReady }) else { return }
        for _ in 0..<Self.messagesPerIteration {
            guard let engine else { return }
            switch engine.socket.receive() {
            case .nothing: return
            case .closed: return handleExit(now: now)
            case .message(let message):
                guard let event = try? EngineEvent(decoding: message.bytes), message.descriptors.isEmpty else {
                    logger.error("swiftplay-transfer sent a malformed message")
                    engine.process.send(signal: SIGKILL)
                    return handleExit(now: now)
                }
                switch event {
                case .progress, .uploadProgress, .checkpoint, .finished, .line: failureCount = 0
                default: break
                }
                onEvent(event)
            }
        }
    }

    /// Forgets the engine after its exit, and reports the exit.
    private func handleExit(now: Int64) {
        guard let ended = engine else { return }
        engine = nil
        // The process is collected by its own event source, or killed if it has only closed its socket.
        ended.process.send(signal: SIGKILL)
        if !ended.isEnding { scheduleRestart(now: now) }
        idleSince = nil
        onExit()
    }

    /// Delays the next start, more after each failure in a row.
    private func scheduleRestart(now: Int64) {
        let delay = failureCount == 0 ? 0 : MonotonicTime.nanosecondsPerSecond << min(failureCount - 1, 6)
        failureCount += 1
        nextStart = now + min(delay, Self.longestDelay)
    }

    /// Opens and locks the lock file; returns nil while another engine has it.
    ///
    /// The engine inherits the file, which is locked until the engine has exited. So the engine of a service that was
    /// killed never writes to a part file at the same time as a new engine.
    private func lockFile() throws(SystemCallError) -> FileDescriptor? {
        let file = try FileDescriptor(
            opening: BackgroundAddress.engineLockPath(), flags: O_RDWR | O_CREAT, mode: 0o600)
        guard try file.tryLock() else { return nil }
        return file
    }

    /// Starts the process and sends the first message.
    private func startEngine(_ lock: borrowing FileDescriptor) throws(SystemCallError) -> Engine {
        guard let program = ServicePrograms.path(of: "swiftplay-transfer", variable: "SWIFTPLAY_TRANSFER") else {
            throw SystemCallError(call: "swiftplay-transfer", number: ENOENT)
        }
        let (own, other) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
        var steps: [ChildProgram.DescriptorStep] = [.open(path: "/dev/null", flags: O_RDWR, as: 0), .copy(0, as: 1)]
        if getenv("SWIFTPLAY_BACKGROUND_LOG") == nil { steps.append(.copy(0, as: 2)) }
        steps += [.copy(lock.raw, as: Self.lockNumber), .copy(other.raw, as: Self.socketNumber)]
        let processID = try ChildProgram.start(
            program, ["--socket", "\(Self.socketNumber)"], steps: steps, descriptorCount: Self.lockNumber + 1)
        let process = try ServiceProcess(processID)
        process.onExit = { [unowned self, unowned process] in loop.remove(process) }
        loop.add(process, to: .system)
        try own.setSendBuffer(Self.sendBuffer)
        try own.send(helloBytes)
        return Engine(process: process, socket: own)
    }

    /// The encoded first message.
    private var helloBytes: [UInt8] { (try? EngineCommand.hello(version: EngineLimits.version).encoded()) ?? [] }
}

extension EngineCommand {
    /// Whether the command begins a run, and can be sent again later.
    fileprivate var isOrder: Bool {
        switch self {
        case .start, .plan: true
        case .hello, .listen, .stop, .limitRate, .quit: false
        }
    }
}
