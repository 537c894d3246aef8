import ArgumentParser
import FetchSimulation

/// The command `swiftplay background`, which measures the rules of background fetch.
struct BackgroundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay background",
        abstract: "Measures when programs are fetched in the background.",
        discussion: """
            ACTION is:
              simulate  plays virtual persons who open programs, and prints how often the content was new at the \
            opening, and how often programs were fetched for it (default)

            The same seed prints the same figures. Exit codes: 0 done; 64 invalid arguments.
            """)

    /// What the command does.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case simulate
    }

    @Argument(help: ArgumentHelp("simulate.", valueName: "action"))
    var action = Action.simulate

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
    }

    func run() throws {
        switch action {
        case .simulate: print(simulation.run().text, terminator: "")
        }
    }
}
