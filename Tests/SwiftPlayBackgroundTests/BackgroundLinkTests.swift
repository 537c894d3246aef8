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

    @Test("an attachment of a new connection that is refused for now is repeated while it is standing")
    mutating func aRefusedAttachmentIsRepeated() throws {
        state.standing = ["attach": attachment, "presence": .setPresence(.background)]
        state.prepareConnection()
        let refusal = BackgroundLink.Answer.failure(ClientEvent.Refusal(.busy, "another process"))
        for number in state.unsent { _ = state.removePending(number, refusal, now: 1) }
        (state.unsent, state.standing["presence"]) = ([], nil)
        let time = try #require(state.repetitionTime)
        state.repeatRefused(now: time - 1)
        #expect(state.unsent.isEmpty)
        state.repeatRefused(now: time)
        #expect(commands() == [attachment] && state.repetitionTime == nil)
    }

    @Test("the first attachment is not repeated, because its session learns of the refusal")
    mutating func aRefusedFirstAttachmentIsNotRepeated() {
        state.pending[1] = BackgroundLink.Pending(
            request: ClientRequest(1, attachment), descriptor: nil, isStanding: true, completion: { _ in })
        let refusal = BackgroundLink.Answer.failure(ClientEvent.Refusal(.busy, "another process"))
        #expect(state.removePending(1, refusal, now: 1) != nil && state.repetitionTime == nil)
    }
}
