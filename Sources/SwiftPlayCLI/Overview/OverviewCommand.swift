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
              show           shows each program, its transfers, and the picture from when
                             it was left (default)
              close PROGRAM  ends a program, and deletes its picture. PROGRAM is its name
                             or process ID

            With a display, a window shows the programs as they change. A terminal shows the pictures once; into a \
            pipe or a file, only text is printed. A program that is closed receives SIGTERM, and SIGKILL after 2 s. If \
            it works in the background, its transfers are cancelled, and it is not started until you open it \
            (`swiftplay background quit`).

            Keys in the window: arrows, HOME, END, PGUP, PGDWN select · ENTER brings a program forward · DEL closes \
            it · q, ESC quit

            Exit codes: 0 done; 1 there is no such program, or the compositor or the X server cannot be used; 4 the \
            window was ended by a signal; 64 invalid arguments.
            """)

    /// Where the overview is shown.
    enum Output: String, ExpressibleByArgument, CaseIterable {
        case x11
        case terminal
        case null

        /// Returns the output that a value of `--vo` selects.
        ///
        /// - Parameters:
        ///   - isRedirected: Whether standard output is a pipe or a file, from which a program reads the text.
        static func chosen(_ option: Output?, hasDisplay: Bool, isTerminal: Bool, isRedirected: Bool) -> Output {
            option ?? (hasDisplay && !isRedirected ? .x11 : isTerminal ? .terminal : .null)
        }
    }

    /// What the command does.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case show
        case close
    }

    @Argument(help: ArgumentHelp("show or close.", valueName: "action"))
    var action = Action.show

    @Argument(help: ArgumentHelp("The name or the process ID of a program.", valueName: "program"))
    var program: String?

    @Option(
        help: ArgumentHelp(
            """
            Where the overview is shown: x11, terminal, or null for text. Default: x11 if there is a display and \
            standard output is not a pipe or a file, else terminal if the output is a terminal, else null.
            """,
            valueName: "output"))
    var vo: Output?

    func validate() throws {
        switch (action, program) {
        case (.show, nil): break
        case (.close, _?): guard vo == nil else { throw ValidationError("close takes no --vo.") }
        case (.show, _?): throw ValidationError("show takes no program.")
        case (.close, nil): throw ValidationError("close requires the name or the process ID of a program.")
        }
    }

    func run() throws {
        var exitCode = ExitCode.success
        do throws(SystemControl.Failure) {
            switch action {
            case .show:
                switch output {
                case .x11: if try showWindow() == .signal { exitCode = ExitCode(4) }
                case .terminal: try show(hasPictures: true)
                case .null: try show(hasPictures: false)
                }
            case .close: try close(program ?? "")
            }
        } catch {
            PlayerApp.reportError(error.description)
            exitCode = ExitCode(1)
        }
        if exitCode != .success { throw exitCode }
    }

    /// Where the overview is shown.
    private var output: Output {
        var status = stat()
        let kind = fstat(STDOUT_FILENO, &status) == 0 ? status.st_mode & S_IFMT : 0
        return Output.chosen(
            vo, hasDisplay: getenv("DISPLAY").map { $0.pointee != 0 } ?? false, isTerminal: isatty(STDOUT_FILENO) == 1,
            isRedirected: kind == S_IFIFO || kind == S_IFREG)
    }

    /// Shows the overview in a window until the user closes it.
    private func showWindow() throws(SystemControl.Failure) -> OverviewSession.Ending {
        let ending: OverviewSession.Ending
        do { ending = try OverviewSession().run() } catch {
            throw SystemControl.Failure(description: VideoOutputFailure.displayMessage("\(error)"))
        }
        if case .failed(let reason) = ending { throw SystemControl.Failure(description: reason) }
        return ending
    }

    /// Prints the overview.
    ///
    /// - Parameter hasPictures: Whether a terminal shows the pictures.
    private func show(hasPictures: Bool) throws(SystemControl.Failure) {
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
            capabilities: hasPictures && isTerminal && !capabilities.isDumb ? capabilities : nil)
        print(text, terminator: "")
    }

    /// Ends a program.
    private func close(_ program: String) throws(SystemControl.Failure) {
        let hasPicture =
            (try? CompositorAddress.snapshotPath()).map { path in
                SnapshotReader.snapshots(in: path).contains { $0.texts.identifier == program }
            } ?? false
        let outcome = try ProgramCloser.close(program)
        if let warning = outcome.warning { PlayerApp.reportError(warning) }
        for line in outcome.lines(about: program) { print(line) }
        guard outcome.isEmpty else { return }
        guard hasPicture else {
            throw SystemControl.Failure(
                description: "no program has the name or the process ID \(program); `swiftplay overview` lists them")
        }
        print("the picture of \(program), which does not run, was deleted")
    }
}
