import CompositorProtocol
import Testing

@testable import SwiftPlay

@Suite struct SystemWatchExchangeTests {
    private let program = ProgramSnapshot(
        processID: 7, name: "a", role: .none, presence: .hidden, isFloating: false, isAudible: false)

    /// Returns an exchange that has requested the lists.
    private func requestingExchange() -> SystemWatchExchange {
        var exchange = SystemWatchExchange()
        _ = exchange.refresh()
        return exchange
    }

    /// Passes several messages to an exchange, and returns all actions.
    private func handle(_ messages: [ServerMessage], _ exchange: inout SystemWatchExchange)
        -> [SystemWatchExchange.Action]
    {
        messages.flatMap { exchange.handle($0) }
    }

    @Test func aNewCompositorIsAskedForTheLists() {
        var exchange = SystemWatchExchange()
        #expect(handle([.welcome(version: 9), .interfaces(.supported)], &exchange) == [.refresh])
        #expect(
            exchange.refresh() == [.watchPrograms, .listSessions, .listPrograms, .listPictures])
    }

    @Test(arguments: [
        ServerMessage.welcome(version: 8), .interfaces(InterfaceVersions([3: 4])), .refused(reason: "full"),
        .unsupported(message: 20, reason: "unknown"),
    ])
    func aCompositorThatCannotBeUsedIsReported(_ message: ServerMessage) {
        var exchange = SystemWatchExchange()
        guard case .fail(let reason)? = exchange.handle(message).first else {
            Issue.record("not reported")
            return
        }
        #expect(reason.contains(message == .refused(reason: "full") ? "full" : "too old"))
    }

    @Test func theListsArePublishedWhenAllRequestsAreAnswered() {
        var exchange = requestingExchange()
        let picture = ProgramPicture(processID: 7, identifier: "b", isPrivate: true)
        #expect(
            handle(
                [
                    .systemDone, .systemState(SystemSnapshot(isLocked: true)), .systemDone, .program(program),
                    .systemDone, .programPicture(picture),
                ], &exchange) == [])
        #expect(exchange.handle(.systemDone) == [.publish])
        #expect(exchange.reply.programs == [program] && exchange.reply.pictures == [picture])
        #expect(exchange.reply.conditions.isLocked)
    }

    @Test func aChangeRequestsTheListsAgain() {
        var exchange = requestingExchange()
        _ = handle([.program(program), .systemDone, .systemDone, .systemDone, .systemDone], &exchange)
        #expect(exchange.handle(.programsChanged) == [.refresh])
        #expect(exchange.refresh() != nil && exchange.reply.programs.isEmpty)
    }

    @Test func aChangeWhileTheListsArriveRequestsThemAgainAfterwards() {
        var exchange = requestingExchange()
        #expect(handle([.systemDone, .programsChanged, .systemDone, .systemDone], &exchange) == [])
        #expect(exchange.refresh() == nil)
        #expect(exchange.handle(.systemDone) == [.publish, .refresh])
    }

    @Test func answersThatWereNotRequestedAreIgnored() {
        var exchange = SystemWatchExchange()
        #expect(exchange.handle(.systemDone) == [] && exchange.pendingCount == 0)
    }
}
