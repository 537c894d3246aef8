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

    // MARK: Commands that are repeated until they are finished

    private let diskIsFull = BackgroundLink.Answer.failure(ClientEvent.Refusal(.storage, "the disk is full"))

    @Test("after all commands have failed, the next connection repeats a cancellation behind the attachment")
    mutating func aFailedCancellationIsRepeated() {
        state.standing = ["attach": attachment]
        state.add(.listPrograms) { _ in }
        state.add(.cancel(task: 1), name: "cancel 1", completion: nil)
        let failed = state.takePending()
        state.prepareConnection()
        #expect(failed.count == 2)
        #expect(commands() == [attachment, .cancel(task: 1)])
    }

    @Test("a cancellation is repeated while the disk is full, and not after it was carried out")
    mutating func aRefusedCancellationIsRepeated() throws {
        state.add(.cancel(task: 1), name: "cancel 1", completion: nil)
        _ = state.takeUnsent()
        _ = state.removePending(1, diskIsFull, now: 1)
        let time = try #require(state.repetitionTime)
        state.repeatRefused(now: time)
        #expect(commands() == [.cancel(task: 1)])
        _ = state.removePending(1, .success(.done(command: 1)), now: time)
        #expect(state.repetitionTime == nil && state.isIdle)
    }

    @Test mutating func aCancellationThatIsRefusedForGoodIsNotRepeated() {
        state.add(.cancel(task: 1), name: "cancel 1", completion: nil)
        let refusal = BackgroundLink.Answer.failure(ClientEvent.Refusal(.unknown, "the transfer has ended"))
        _ = state.removePending(1, refusal, now: 1)
        #expect(state.repetitionTime == nil && state.isIdle)
    }

    @Test("a command is not repeated after a newer one with the same name")
    mutating func aReplacedCommandIsNotRepeated() {
        state.add(.resume(task: 1), name: "resume or suspend 1", completion: nil)
        state.add(.suspend(task: 1), name: "resume or suspend 1", completion: nil)
        _ = state.removePending(1, diskIsFull, now: 1)
        #expect(state.repetitionTime == nil)
        state.prepareConnection()
        #expect(commands() == [.suspend(task: 1)])
    }

    @Test("commands wait for the next connection if the service has refused the program on this one")
    mutating func commandsOfARefusedProgramWait() {
        state.isRefused = true
        state.add(.cancel(task: 1), name: "cancel 1", completion: nil)
        let early = state.takeUnsent()
        state.prepareConnection()
        let late = state.takeUnsent()
        #expect(early?.request.command == nil && late?.request.command == .cancel(task: 1))
    }
}
