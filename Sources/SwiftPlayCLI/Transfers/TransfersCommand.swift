import ArgumentParser
import BackgroundProtocol
import Glibc
import SystemCalls

/// The command `swiftplay transfers`, which lists and controls the background transfers of all programs.
struct TransfersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay transfers",
        abstract: "Lists and controls the background transfers of all programs.",
        discussion: """
            ACTION is one of:
              list        lists the transfers, and why they wait (default)
              watch       shows the progress until all transfers have ended
              pause ID    pauses transfers
              resume ID   continues paused transfers
              cancel ID   cancels transfers and removes their unfinished files

            ID is the number of a transfer in the list, or all. If the command fails for one of several transfers, it \
            is carried out for the others, and the exit code is 1. With all, transfers that only their program can \
            continue are left out.

            Exit codes: 0 done; 1 the background service cannot be used, or there is no such transfer; 4 ended by a \
            signal; 64 invalid arguments.
            """)

    /// What the command does.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list
        case watch
        case pause
        case resume
        case cancel
    }

    @Argument(help: ArgumentHelp("list, watch, pause, resume or cancel.", valueName: "action"))
    var action = Action.list

    @Argument(help: ArgumentHelp("The numbers of transfers, or all.", valueName: "id"))
    var ids: [String] = []

    func validate() throws {
        switch action {
        case .list, .watch:
            guard ids.isEmpty else { throw ValidationError("\(action.rawValue) takes no numbers of transfers.") }
        case .pause, .resume, .cancel:
            guard !ids.isEmpty else { throw ValidationError("\(action.rawValue) requires the number of a transfer.") }
            for id in ids where id != "all" && Int64(id) == nil {
                throw ValidationError("'\(id)' is not the number of a transfer.")
            }
        }
    }

    func run() throws {
        let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        do {
            let client = try TransferClient()
            switch action {
            case .list: print(TransferText.table(of: try client.list()), terminator: "")
            case .watch:
                client.follow()
                let open = Set(try client.list().filter { !$0.activity.phase.isTerminal }.map(\.id))
                var progress = TransferProgress()
                let ended = try progress.show(client, signals, open) {
                    $0.activity.phase.isTerminal || $0.activity.phase == .suspended
                }
                if ended == nil { throw ExitCode(4) }
            case .pause: try control(client) { .suspend(task: $0) }
            case .resume: try control(client) { .resume(task: $0) }
            case .cancel: try control(client) { .cancel(task: $0) }
            }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            reportTransferError("\(error)")
            throw ExitCode(1)
        }
    }

    /// Carries out a command for the selected transfers, also after the command was refused for some of them.
    ///
    /// - Throws: `ExitCode` if a refusal was reported.
    private func control(_ client: TransferClient, _ command: (Int64) -> ClientCommand) throws {
        let open = try client.list().filter { !$0.activity.phase.isTerminal }.map(\.id)
        let isForAll = ids.contains("all")
        var hasFailed = false
        for id in isForAll ? open : ids.compactMap({ Int64($0) }) {
            do throws(ClientEvent.Refusal) { try client.perform(command(id)) } catch {
                if isForAll, isIgnoredForAll(error) { continue }
                reportTransferError("transfer \(id): \(error)")
                hasFailed = true
            }
        }
        if hasFailed { throw ExitCode(1) }
    }

    /// Whether a command for all transfers does not fail with a refusal: the transfer has ended meanwhile, or only its
    /// program can continue it.
    private func isIgnoredForAll(_ refusal: ClientEvent.Refusal) -> Bool {
        refusal.code == .unknown || (refusal.code == .invalid && action == .resume)
    }
}
