import ArgumentParser
import BackgroundProtocol
import FetchSimulation

/// The command `swiftplay background`, which lists and controls the programs that the service wakes.
struct BackgroundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay background",
        abstract: "Lists and controls the programs that are fetched in the background or receive notifications.",
        discussion: """
            ACTION is one of:
              list             lists the programs, their next fetch and its reason, what
                               was learnt about them, and what they have used in the last
                               24 hours (default)
              fetch PROGRAM    fetches a program now, and prints the result
              forget PROGRAM   forgets when a program was opened
              quit PROGRAM     closes a program for good: its transfers are cancelled, and
                               it is not started until you open it
              simulate         plays virtual persons who open programs, and prints how
                               often the content was new at the opening, and how often
                               programs were fetched for it

            The options belong to simulate. The same seed prints the same figures.

            Exit codes: 0 done; 1 the background service cannot be used, there is no such program, or the fetch has \
            failed; 64 invalid arguments.
            """)

    /// What the command does.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list
        case fetch
        case forget
        case quit
        case simulate

        /// What happens with the named program; nil if no program is named.
        var programAction: ProgramAction? {
            switch self {
            case .fetch: .fetch
            case .forget: .forget
            case .quit: .quit
            case .list, .simulate: nil
            }
        }
    }

    @Argument(help: ArgumentHelp("list, fetch, forget, quit or simulate.", valueName: "action"))
    var action = Action.list

    @Argument(help: ArgumentHelp("The name of a program in the list.", valueName: "program"))
    var program: String?

    @Option(help: ArgumentHelp("The number of persons, who are of eight kinds in turn.", valueName: "number"))
    var persons = 8

    @Option(help: ArgumentHelp("The number of programs of each person.", valueName: "number"))
    var programs = 6

    @Option(help: ArgumentHelp("The number of days.", valueName: "number"))
    var days = 365

    @Option(help: ArgumentHelp("The number from which all random numbers follow.", valueName: "number"))
    var seed: UInt64 = 1

    /// The simulation that the arguments describe.
    var simulation: FetchSimulation {
        FetchSimulation(personCount: persons, programsPerPerson: programs, dayCount: days, seed: seed)
    }

    func validate() throws {
        let limits = [("--persons", persons, 100), ("--programs", programs, 100), ("--days", days, 3650)]
        for (name, value, limit) in limits where !(1...limit).contains(value) {
            throw ValidationError("\(name) must be a number from 1 to \(limit).")
        }
        if action.programAction == nil, program != nil {
            throw ValidationError("\(action.rawValue) takes no program.")
        }
        if action.programAction != nil, program == nil {
            throw ValidationError("\(action.rawValue) requires the name of a program.")
        }
    }

    func run() throws {
        if case .simulate = action { return print(simulation.run().text, terminator: "") }
        do {
            let client = try ProgramClient()
            guard let programAction = action.programAction, let program else {
                return print(ProgramText.text(of: try client.list()), terminator: "")
            }
            let answer = try client.perform(.control(program: program, programAction))
            if case .fetched(_, let result, let milliseconds) = answer {
                print("\(program): \(ProgramText.text(of: result, milliseconds: milliseconds))")
                if result == nil || result == .failed { throw ExitCode(1) }
            }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            reportTransferError("\(error)")
            throw ExitCode(1)
        }
    }
}
