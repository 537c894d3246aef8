import CompositorProtocol
import Testing

@testable import Compositor

@Suite struct ProgramWatchServiceTests {
    /// The lists, which a test changes, and the notified clients.
    private final class Model {
        var lists = ProgramWatchService.Lists()
        var readCount = 0
        var notified: [UInt64] = []
        lazy var service = ProgramWatchService(
            read: { [unowned self] in
                readCount += 1
                return lists
            }, notify: { [unowned self] in notified.append($0) })

        private var now: Int64 = 0

        /// Lets the loop run once, by default after the interval between comparisons.
        func process(after interval: Int64 = ProgramWatchService.interval) {
            now += interval
            service.process([], now: now)
        }
    }

    private let model = Model()

    private func program(_ name: String) -> ProgramSnapshot {
        ProgramSnapshot(
            processID: 1, name: name, role: .none, presence: .noWindow, isFloating: false, isAudible: false)
    }

    @Test func aChangeIsNotifiedOncePerRequest() {
        model.service.handleRequest(of: 4)
        model.process()
        #expect(model.notified.isEmpty)
        model.lists.programs = [program("a")]
        model.process()
        model.lists.programs = []
        model.process()
        #expect(model.notified == [4])
    }

    @Test func theLockOfTheScreenIsAChange() {
        model.service.handleRequest(of: 4)
        model.lists.conditions.isLocked = true
        model.process()
        #expect(model.notified == [4])
    }

    @Test func aHiddenPictureIsAChange() {
        model.service.handleRequest(of: 4)
        model.lists.pictures = [ProgramPicture(processID: 1, identifier: "a", isPrivate: true)]
        model.process()
        #expect(model.notified == [4])
    }

    @Test func eachClientIsNotifiedOfChangesSinceItsOwnRequest() {
        model.service.handleRequest(of: 5)
        model.lists.programs = [program("a")]
        model.service.handleRequest(of: 4)
        model.process()
        #expect(model.notified == [5])
        model.lists.programs = [program("b")]
        model.process()
        #expect(model.notified == [5, 4])
    }

    @Test func aDisconnectedClientIsNotNotified() {
        model.service.handleRequest(of: 4)
        model.service.handleDisconnection(of: 4)
        model.lists.programs = [program("a")]
        model.process()
        #expect(model.notified.isEmpty)
    }

    @Test func frequentIterationsCompareTheListsOnceInAWhile() {
        model.service.handleRequest(of: 4)
        model.process()
        let count = model.readCount
        model.lists.programs = [program("a")]
        for _ in 0..<5 { model.process(after: 1) }
        #expect(model.readCount == count && model.service.deadline == 2 * ProgramWatchService.interval)
        model.process(after: ProgramWatchService.interval - 5)
        #expect(model.notified == [4] && model.service.deadline == nil)
    }

    @Test func withoutRequestsTheListsAreNotRead() {
        model.process()
        #expect(model.readCount == 0)
    }
}
