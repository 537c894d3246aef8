import SystemCalls

/// Looks at a terminal on which two programs draw. Any thread.
package final class TerminalWatcher: Sendable {
    private let model: Monitor<TerminalModel>

    package init(_ size: PseudoTerminal.Size = .init()) {
        model = Monitor(TerminalModel(columns: size.columns, rows: size.rows))
    }

    func see(_ bytes: some Sequence<UInt8>) { model.update { $0.write(bytes) } }

    package func resize(to size: PseudoTerminal.Size) {
        model.update { $0.resize(columns: size.columns, rows: size.rows) }
    }

    package func forgetWriters() { model.update { $0.forgetWriters() } }

    /// As it is now.
    package var now: TerminalModel { model.withLock { $0 } }

    /// Waits until the terminal is as wanted, and returns what `body` found.
    @discardableResult
    package func wait<Result>(
        _ what: String, within patience: Duration = .seconds(15), _ body: (TerminalModel) -> Result?
    ) throws(RigError) -> Result {
        if let found = model.wait(until: Deadline.after(patience), { body($0) }) { return found }
        let model = now
        throw RigError(
            "\(what) was not seen. \(model.guestPictures) pictures in \(String(describing: model.guestArea)), \(model.faults)\n\(model.text)"
        )
    }

    /// Waits until a frame is drawn over the picture's place in the whole terminal.
    @discardableResult
    package func waitForFrame(_ isWanted: (Int) -> Bool = { _ in true }) throws(RigError) -> Int {
        try wait("a frame on the whole terminal") { model in Self.wholeFrame(model).flatMap { isWanted($0) ? $0 : nil }
        }
    }

    /// Waits until a frame is drawn in the guest's cells.
    @discardableResult
    package func waitForFrameInCorner(_ isWanted: (Int) -> Bool = { _ in true }) throws(RigError) -> Int {
        try wait("a frame in the corner") { model in Self.cornerFrame(model).flatMap { isWanted($0) ? $0 : nil } }
    }

    package static func wholeFrame(_ model: TerminalModel) -> Int? {
        // The last row is for messages.
        model.frameNumber(in: Window.Area(x: 0, y: 0, width: model.columns, height: model.rows - 1))
    }

    package static func cornerFrame(_ model: TerminalModel) -> Int? {
        model.guestArea.flatMap { model.frameNumber(in: $0) }
    }
}
