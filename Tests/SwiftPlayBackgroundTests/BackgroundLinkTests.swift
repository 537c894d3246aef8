import BackgroundProtocol
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundLinkTests {
    private let attachment = ClientCommand.attach(identifier: "films", SessionConfiguration())
    private var state = BackgroundLink.State()

    /// The commands of the planned connection, in order.
    private func commands() -> [ClientCommand] { state.unsent.compactMap { state.pending[$0]?.request.command } }

    @Test("standing commands are repeated before others, in the order of their names")
    mutating func standingCommandsComeFirst() {
        state.pending[1] = BackgroundLink.Pending(
            request: ClientRequest(1, .listPrograms), descriptor: nil, completion: { _ in })
        state.nextNumber = 2
        state.standing = ["session events": .requestFinishedEvents(session: 1), "attach": attachment]
        state.prepareConnection()
        #expect(commands() == [attachment, .requestFinishedEvents(session: 1), .listPrograms])
    }

    @Test("a repeated command that was not answered does not come before the attachment of the next connection")
    mutating func anUnansweredRepetitionKeepsItsPlace() {
        state.standing = ["session events": .requestFinishedEvents(session: 1), "attach": attachment]
        state.prepareConnection()
        // The service answers the attachment and crashes.
        state.pending[state.unsent[0]] = nil
        state.prepareConnection()
        #expect(commands() == [attachment, .requestFinishedEvents(session: 1)])
    }

    @Test mutating func aReplacedCommandIsSentBeforeTheNewerOne() {
        for (number, presence) in [(1, ProgramPresence.opened), (2, .background)] as [(UInt64, ProgramPresence)] {
            state.pending[number] = BackgroundLink.Pending(
                request: ClientRequest(number, .setPresence(presence)), descriptor: nil, isStanding: true,
                completion: { _ in })
        }
        state.standing = ["presence": .setPresence(.background)]
        state.prepareConnection()
        #expect(state.unsent == [1, 2])
    }
}
