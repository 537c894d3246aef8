import ArgumentParser
import BackgroundProtocol
import CompositorProtocol
import Glibc
import SwiftPlay
import SwiftPlayKit
import SystemCalls
import VideoOutput

/// The command `swiftplay overview`, which shows all programs with their last pictures, and closes programs.
struct OverviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay overview",
        abstract: "Shows the programs that play and load media, with their last pictures.",
        discussion: """
            ACTION is one of:
              show           shows each program, its transfers, and the picture from when it was left (default)
              close PROGRAM  ends a program, and deletes its picture. PROGRAM is its name or process ID

            A terminal shows the pictures; without a terminal, only text is printed. A program that is closed receives \
            SIGTERM, and SIGKILL after 2 s. If it works in the background, its transfers are cancelled, and it is not \
            started until you open it (`swiftplay background quit`).

            Exit codes: 0 done; 1 there is no such program, or the compositor cannot be reached; 64 invalid arguments.
            """)

    /// What the command does.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case show
        case close
    }

    @Argument(help: ArgumentHelp("show or close.", valueName: "action"))
    var action = Action.show

    @Argument(help: ArgumentHelp("The name or the process ID of a program.", valueName: "program"))
    var program: String?

    func validate() throws {
        switch (action, program) {
        case (.show, nil), (.close, _?): break
        case (.show, _?): throw ValidationError("show takes no program.")
        case (.close, nil): throw ValidationError("close requires the name or the process ID of a program.")
        }
    }

    func run() throws {
        do throws(SystemControl.Failure) {
            switch action {
            case .show: try show()
            case .close: try close(program ?? "")
            }
        } catch {
            PlayerApp.reportError(error.description)
            throw ExitCode(1)
        }
    }

    /// Prints the overview.
    private func show() throws(SystemControl.Failure) {
        var sources = OverviewEntry.Sources()
        if let reply = try SystemControl.perform(.listSessions, startsCompositor: false) {
            (sources.sessions, sources.isLocked) = (reply.sessions, reply.conditions.isLocked)
        }
        sources.programs = try SystemControl.perform(.listPrograms, startsCompositor: false)?.programs ?? []
        sources.pictures = try SystemControl.perform(.listPictures, startsCompositor: false)?.pictures ?? []
        do { sources.snapshots = SnapshotReader.snapshots(in: try CompositorAddress.snapshotPath()) } catch {
            PlayerApp.reportError("the pictures cannot be read: \(error)")
        }
        do { sources.transfers = try TransferClient().list() } catch {
            PlayerApp.reportError("the transfers cannot be listed: \(error)")
        }
        sources.now = Int64(time(nil))
        let capabilities = TerminalCapabilities { getenv($0).map { String(cString: $0) } }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let columns = isTerminal ? TerminalGeometry(of: STDOUT_FILENO).columns : .max
        let text = OverviewText.text(
            of: OverviewEntry.entries(sources), columns: columns,
            capabilities: isTerminal && !capabilities.isDumb ? capabilities : nil)
        print(text, terminator: "")
    }

    /// Closes a program for good at the service for background work, so that it is not started again.
    ///
    /// - Returns: Whether the service knows the program.
    private func quitInBackground(_ program: String) throws(SystemControl.Failure) -> Bool {
        let pictures = try SystemControl.perform(.listPictures, startsCompositor: false)?.pictures ?? []
        let identifiers = Set([program] + pictures.filter { "\($0.processID)" == program }.map(\.identifier))
        var isKnown = false
        do {
            let client = try ProgramClient()
            for identifier in identifiers {
                do {
                    _ = try client.perform(.control(program: identifier, .quit))
                    isKnown = true
                } catch let refusal as ClientEvent.Refusal where refusal.code == .unknown {}
            }
        } catch { PlayerApp.reportError("the background work of \(program) cannot be stopped: \(error)") }
        return isKnown
    }

    /// Ends a program.
    private func close(_ program: String) throws(SystemControl.Failure) {
        let hasPicture =
            (try? CompositorAddress.snapshotPath()).map { path in
                SnapshotReader.snapshots(in: path).contains { $0.texts.identifier == program }
            } ?? false
        let hasQuit = try quitInBackground(program)
        let closed = try SystemControl.perform(.close(program: program), startsCompositor: true)?.closedPrograms ?? []
        for (processID, wasKilled) in closed { print("\(processID) \(wasKilled ? "was killed" : "has exited")") }
        if hasQuit { print("\(program) is not started in the background until you open it") }
        guard closed.isEmpty, !hasQuit else { return }
        guard hasPicture else {
            throw SystemControl.Failure(
                description: "no program has the name or the process ID \(program); `swiftplay overview` lists them")
        }
        print("the picture of \(program), which does not run, was deleted")
    }
}
