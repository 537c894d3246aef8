import SystemCalls

/// Tracks the screen of a terminal on which a player and its compositor draw, with a ``TerminalModel``. Thread-safe.
package final class TerminalWatcher: Sendable {
    private let model: Monitor<TerminalModel>

    package init(_ size: PseudoTerminal.Size = .init()) {
        model = Monitor(TerminalModel(columns: size.columns, rows: size.rows))
    }

    func process(_ bytes: some Sequence<UInt8>) { model.update { $0.write(bytes) } }

    package func resize(to size: PseudoTerminal.Size) {
        model.update { $0.resize(columns: size.columns, rows: size.rows) }
    }

    /// Forgets which program wrote which cell; see ``TerminalModel/forgetWriters()``.
    package func forgetWriters() { model.update { $0.forgetWriters() } }

    /// Forgets what ``forgetWriters()`` forgets, except for the compositor's cells in `area`.
    package func forgetWriters(outside area: Window.Area) { model.update { $0.forgetWriters(outside: area) } }

    /// A copy of the current screen.
    package var snapshot: TerminalModel { model.withLock { $0 } }

    /// Waits until `body` returns a value for the current screen, and returns that value.
    ///
    /// - Parameter expectedContent: the expected content of the screen, for the error message.
    /// - Throws: ``TestFailure`` with the text on the screen if `body` returns nil until `timeout` has passed.
    @discardableResult
    package func wait<Result>(
        _ expectedContent: String, within timeout: Duration = .seconds(15), _ body: (TerminalModel) -> Result?
    ) throws(TestFailure) -> Result {
        if let result = model.wait(until: Deadline.after(timeout), { body($0) }) { return result }
        let model = snapshot
        throw TestFailure(
            """
            \(expectedContent) did not appear. \(model.compositorPictureCount) pictures in \
            \(String(describing: model.compositorArea)), \(model.faults)
            \(model.text)
            """)
    }

    /// Waits until a frame for whose number `isWanted` returns true fills the terminal, and returns the frame number.
    @discardableResult
    package func waitForFrame(_ isWanted: (Int) -> Bool = { _ in true }) throws(TestFailure) -> Int {
        try wait("a frame on the whole terminal") { model in
            Self.frameNumberOnWholeScreen(model).flatMap { isWanted($0) ? $0 : nil }
        }
    }

    /// Waits until the compositor's Picture-in-Picture corner shows a frame for whose number `isWanted` returns true,
    /// and returns the frame number.
    @discardableResult
    package func waitForFrameInCorner(_ isWanted: (Int) -> Bool = { _ in true }) throws(TestFailure) -> Int {
        try wait("a frame in the corner") { model in
            Self.frameNumberInCorner(model).flatMap { isWanted($0) ? $0 : nil }
        }
    }

    /// Returns the number of the frame that fills the terminal; nil if no frame number is readable.
    package static func frameNumberOnWholeScreen(_ model: TerminalModel) -> Int? {
        // The player reserves the last row of the terminal for messages.
        model.frameNumber(in: Window.Area(x: 0, y: 0, width: model.columns, height: model.rows - 1))
    }

    /// Returns the number of the frame in the compositor's Picture-in-Picture corner; nil if no frame number is
    /// readable.
    package static func frameNumberInCorner(_ model: TerminalModel) -> Int? {
        // The compositor draws the state of the playback in the last row of its area.
        model.compositorArea.flatMap { area in
            model.frameNumber(in: Window.Area(x: area.x, y: area.y, width: area.width, height: area.height - 1))
        }
    }
}
