import Glibc
import SharedFrames
import SystemCalls

/// The overview in a window: connects the window, the programs' state and the user's input. Used by the main thread.
final class OverviewSession {
    /// How the session has ended.
    enum Ending: Equatable {
        /// The user has closed the window.
        case closed
        /// A signal has arrived.
        case signal
        /// The window could not be opened or was lost; the text gives the reason.
        case failed(String)
    }

    /// The shortest time between two drawings after input and after other changes, in nanoseconds.
    private static let inputInterval: Int64 = 16_000_000, changeInterval: Int64 = 200_000_000
    /// The time limit for opening the window, in nanoseconds.
    private static let openingTimeout: Int64 = 10_000_000_000

    private let loop = EventLoop()
    private let feed: OverviewFeed
    private let window: OverviewWindow
    private let closing: ProgramClosingQueue
    private var ending: Ending?
    /// The selection and the scrolling; nil until the window has opened.
    private var navigation: OverviewNavigation?
    private var entries: [OverviewEntry] = []
    /// The message about the last command; empty if there is none.
    private var message = ""
    private var schedule = DrawingSchedule()

    /// When the window is drawn.
    private struct DrawingSchedule {
        var isVisible = true
        /// The host time of the next drawing; nil if nothing has changed.
        var nextDrawing: Int64?
        var lastDrawing: Int64 = 0
        /// The host time by which the window must have opened; nil afterwards.
        var openingDeadline: Int64?
        /// The host time at which the age of a picture has another text.
        var nextAge: Int64?
        /// The scene that was drawn last; nil if it must be drawn again.
        var scene: OverviewScene?
        /// Whether the programs may have changed.
        var needsEntries = true

        var deadline: Int64? {
            [openingDeadline, isVisible ? nextDrawing : nil, isVisible ? nextAge : nil].compactMap(\.self).min()
        }
    }

    /// Opens the window.
    ///
    /// - Throws: An error that states why there is no window.
    init() throws {
        let signals = try SignalSource([SIGINT, SIGTERM, SIGHUP])
        window = try OverviewWindow()
        do {
            closing = try ProgramClosingQueue()
            feed = try OverviewFeed(loop)
        } catch {
            window.close()
            throw error
        }
        schedule.openingDeadline = MonotonicTime.now + Self.openingTimeout
        signals.onSignal = { [unowned self] _ in end(.signal) }
        feed.onChange = { [unowned self] in setNeedsUpdate() }
        loop.add(signals, to: .system)
        loop.add(
            ClosureSource(entries: { [window] in [Poll.Entry(window.eventDescriptor.raw)] }) {
                [unowned self] isReady, _ in
                if isReady { for event in window.takeEvents() { handle(event) } }
            }, to: .system)
        loop.add(
            ClosureSource(entries: { [closing] in [Poll.Entry(closing.eventDescriptor.raw)] }) {
                [unowned self] isReady, _ in
                if isReady { handleClosed() }
            }, to: .programs)
        loop.add(
            ClosureSource(deadline: { [unowned self] in schedule.deadline }) { [unowned self] _, now in
                handleTimers(now: now)
            }, to: .timers)
    }

    /// Shows the window until the user closes it.
    func run() throws(SystemCallError) -> Ending {
        defer {
            closing.end()
            window.close()
        }
        try loop.run()
        return ending ?? .closed
    }

    private func end(_ ending: Ending) {
        self.ending = self.ending ?? ending
        loop.stop()
    }

    // MARK: Events

    private func handle(_ event: OverviewWindow.Event) {
        switch event {
        case .opened(let size, let scale):
            schedule.openingDeadline = nil
            navigation = OverviewNavigation(size: size, scale: scale)
            setNeedsUpdate()
        case .failed(let reason): end(.failed(reason))
        case .activated(let program, let isFound):
            if !isFound { show("\(program) has no window that can be brought forward") }
        case .output(let event):
            switch event {
            case .closeRequested: end(.closed)
            case .lost(let reason): end(.failed(reason))
            case .warning(let text): PlayerApp.reportError(text)
            case .visibilityChanged(let isVisible):
                (schedule.isVisible, feed.isVisible) = (isVisible, isVisible)
                if isVisible { setNeedsUpdate() }
            case .redrawNeeded:
                schedule.scene = nil
                setNeedsDrawing(interval: Self.inputInterval)
            case .resized(let size):
                if let scale = navigation?.scale { navigation?.resize(to: size, scale: scale) }
                setNeedsDrawing(interval: Self.inputInterval)
            case .key(let key):
                message = ""
                perform(navigation?.press(key))
            case .pointer(let event):
                if case .pressed = event { message = "" }
                perform(navigation?.handle(event))
            case .shownChanged, .focusChanged, .fullScreenChanged: break
            }
        }
    }

    private func perform(_ action: OverviewNavigation.Action?) {
        setNeedsDrawing(interval: Self.inputInterval)
        switch action {
        case nil: break
        case .quit: end(.closed)
        case .close(let program):
            closing.close(program)
            schedule.needsEntries = true
        case .activate(let program):
            let processIDs = entries.first { $0.program == program }?.processes.map(\.processID) ?? []
            window.activate(program, processIDs: processIDs)
        }
    }

    private func handleClosed() {
        for result in closing.takeResults() where !result.text.isEmpty {
            message = "\(result.program): \(result.text)"
        }
        feed.setNeedsSnapshots()
        setNeedsUpdate()
    }

    private func show(_ text: String) {
        message = text
        setNeedsDrawing(interval: Self.inputInterval)
    }

    // MARK: Drawing

    /// Reads the programs again and draws them, soon.
    private func setNeedsUpdate() {
        schedule.needsEntries = true
        setNeedsDrawing(interval: Self.changeInterval)
    }

    private func setNeedsDrawing(interval: Int64) {
        let time = schedule.lastDrawing + interval
        schedule.nextDrawing = min(schedule.nextDrawing ?? time, time)
    }

    private func handleTimers(now: Int64) {
        if let deadline = schedule.openingDeadline, now >= deadline {
            return end(.failed("the X server does not respond"))
        }
        guard schedule.isVisible else { return }
        if let time = schedule.nextAge, now >= time {
            schedule.nextAge = nil
            setNeedsUpdate()
        }
        if let time = schedule.nextDrawing, now >= time { draw(now: now) }
    }

    /// Draws the window if its contents have changed.
    private func draw(now: Int64) {
        schedule.nextDrawing = nil
        guard navigation != nil else { return }
        if schedule.needsEntries {
            schedule.needsEntries = false
            entries = feed.entries()
            navigation?.update(entries.map(\.program))
            schedule.nextAge = entries.compactMap { entry -> Int64? in
                guard case .snapshot(_, let age) = entry.picture else { return nil }
                return now + OverviewTile.timeToNextAge(age) * MonotonicTime.nanosecondsPerSecond
            }.min()
        }
        let text = message.isEmpty ? feed.notice : message
        navigation?.setHasMessage(!text.isEmpty)
        guard let navigation else { return }
        let closingPrograms = closing.programs
        let tiles = entries.map { OverviewTile($0, isClosing: closingPrograms.contains($0.program)) }
        let scene = OverviewScene(navigation, tiles: tiles, message: text)
        guard scene != schedule.scene else { return }
        (schedule.scene, schedule.lastDrawing) = (scene, now)
        window.show(scene)
    }
}
