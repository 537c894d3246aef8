import ArgumentParser
import BackgroundProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct BackgroundCommandTests {
    @Test func theProgramsAreListedByDefault() throws {
        #expect(try BackgroundCommand.parse([]).action == .list)
    }

    @Test func aYearOfEightPersonsIsSimulatedByDefault() throws {
        let simulation = try BackgroundCommand.parse(["simulate"]).simulation
        #expect(simulation.personCount == 8 && simulation.programsPerPerson == 6)
        #expect(simulation.dayCount == 365 && simulation.seed == 1)
    }

    @Test func optionsSetTheSizeAndTheSeed() throws {
        let arguments = ["simulate", "--persons", "2", "--programs", "3", "--days", "14", "--seed", "77"]
        let simulation = try BackgroundCommand.parse(arguments).simulation
        #expect(simulation.personCount == 2 && simulation.programsPerPerson == 3)
        #expect(simulation.dayCount == 14 && simulation.seed == 77)
    }

    @Test(arguments: [("fetch", ProgramAction.fetch), ("forget", .forget), ("quit", .quit)])
    func aProgramIsNamed(_ name: String, _ action: ProgramAction) throws {
        let command = try BackgroundCommand.parse([name, "player"])
        #expect(command.action.programAction == action && command.program == "player")
    }

    @Test(arguments: [
        ["--persons", "0"], ["--persons", "101"], ["--programs", "0"], ["--days", "3651"], ["--days", "-1"],
        ["--seed", "-1"], ["play"], ["fetch"], ["quit"], ["list", "player"], ["simulate", "player"],
    ])
    func otherArgumentsAreRefused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try BackgroundCommand.parse(arguments) }
    }

    @Test func aRefusalNamesTheOptionAndItsRange() {
        do {
            _ = try BackgroundCommand.parse(["--days", "0"])
            Issue.record("the option was accepted")
        } catch {
            #expect(BackgroundCommand.message(for: error) == "--days must be a number from 1 to 3650.")
        }
    }
}
