import Dispatch
import SwiftPlayKit
import SystemCalls
import VideoOutput

/// The terminal of the program while no picture is drawn in it: keys, messages and the status line.
extension PlayerApp {
    /// Reads keys from the terminal, and shows the status line in it.
    func openConsole() {
        guard settings.terminal.isUsed else { return }
        let owner = WeakReference(self)
        do throws(SystemCallError) {
            guard
                let console = try TerminalConsole(
                    readsKeys: settings.terminal.readsKeys, showsStatus: settings.terminal.showsStatusLine,
                    onEvent: { event in
                        DispatchQueue.main.async { MainActor.assumeIsolated { owner.app?.handle(event) } }
                    })
            else { return }
            TerminalSignals.installCrashHandlers()
            self.console = console
            if console.writesLines { StandardErrorWriter.setDestination(.closure { console.write(line: $0) }) }
            let isASCII = StatusText.isASCII()
            if console.drawsStatus {
                statusLine = StatusLine { owner.app?.updateStatusLine(isASCII: isASCII) ?? false }
            }
        } catch { logger.debug("cannot use the terminal: \(error)") }
    }

    /// Restores the terminal.
    ///
    /// - Parameter keepsStatus: Whether the status line stays visible above the text that follows.
    func closeConsole(keepingStatus keepsStatus: Bool) {
        guard let console else { return }
        (self.console, statusLine) = (nil, nil)
        console.close(keepingStatus: keepsStatus)
        StandardErrorWriter.setDestination(.standardError)
    }

    /// Handles an event of the terminal.
    private func handle(_ event: OutputEvent) {
        guard !isEnding, console != nil else { return }
        switch event {
        case .key(let name): pressKey(name)
        case .redrawNeeded: statusLine?.setNeedsUpdate()
        default: break
        }
    }

    /// Whether messages about keys are shown in the status line, because no video output shows them.
    var showsMessagesInStatusLine: Bool {
        statusLine != nil && (isHeadless || viewController?.window.isOpen != true)
    }

    /// Shows the status line, and returns whether it changes with time.
    private func updateStatusLine(isASCII: Bool) -> Bool {
        guard let console, !isEnding else { return false }
        // Show no status line if the picture will soon fill the terminal.
        if case .terminal = chosenOutput, player.currentItem.map(mayHavePicture) == true {
            console.show(status: "")
            return false
        }
        announceFile()
        let text =
            if let template = settings.terminal.statusText {
                commandTarget.expand(template, filter: TerminalText.sanitised)
            } else { statusText.line(columns: console.columns, isASCII: isASCII) }
        console.show(status: text)
        return player.currentItem != nil && player.timeControlStatus != .paused
    }

    /// Writes the name and the title of a new file above the status line.
    private func announceFile() {
        guard let statusLine, let item = player.currentItem, item.status == .readyToPlay,
            statusLine.announcedLocation != item.location
        else { return }
        statusLine.announcedLocation = item.location
        let title = item.title.map { " (\($0))" } ?? ""
        StandardErrorWriter.write(TerminalText.sanitised("Playing: \(item.displayedName)\(title)"))
    }

    /// Whether an item has a picture, or is not open yet.
    private func mayHavePicture(_ item: PlayerItem) -> Bool {
        guard settings.tracks.choice.selections.video != .off else { return false }
        return item.status == .unknown || item.hasVideo
    }

    /// The present contents of the status line.
    private var statusText: StatusText {
        var text = StatusText()
        text.message = statusMessage
        guard let item = player.currentItem else {
            text.state = .idle
            return text
        }
        (text.hasVideo, text.hasAudio) = (item.hasVideo, item.hasAudio)
        (text.time, text.duration) = (player.currentTime().seconds, item.duration.seconds)
        text.loadedEnd = item.loadedEnd?.seconds
        if item.status == .unknown {
            text.state = .opening
        } else if heldImage?.isPaused
            ?? (player.timeControlStatus == .paused && !player.isAtEndOfStillImage)
        {
            text.state = .paused
        } else if player.reasonForWaitingToPlay == .toMinimizeStalls {
            text.state = .buffering(percent: item.bufferingState?.rebufferingPercent)
        }
        return text
    }

    /// A weak reference to the program, for closures of other threads.
    @MainActor private final class WeakReference: Sendable {
        weak var app: PlayerApp?
        init(_ app: PlayerApp) { self.app = app }
    }
}
