import BackgroundProtocol
import Dispatch
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlayBackground

/// Commands that the service cannot carry out at once.
@Suite(.serialized) struct RepeatedCommandTests {
    private let service: ServiceStandIn
    private let link: BackgroundLink

    init() throws {
        service = try ServiceStandIn()
        link = try BackgroundLink(program: ProgramDescription(name: "test")) { _, _ in }
    }

    /// Returns the answer of a service whose disk is full.
    private func refusal(_ number: UInt64) -> ClientEvent {
        .refused(command: number, ClientEvent.Refusal(.storage, "the disk is full"))
    }

    @Test("the commands of a transfer are repeated until they are carried out, unless a newer one replaces them")
    func refusedCommandsAreRepeated() throws {
        defer { service.stop(link) }
        let tasks = (1...6).map { id in
            BackgroundDownloadTask(uuid: [], request: nil, snapshot: makeSnapshot(id), link: link)
        }
        tasks[0].resume()
        tasks[1].suspend()
        tasks[1].setPriority(1)
        tasks[2].cancel()
        BackgroundAuthenticationChallenge(task: tasks[3]).use(user: "user", password: "password")
        tasks[4].cancel(byProducingResumeData: { _ in })
        tasks[5].resume()
        tasks[5].suspend()
        let first = try service.accept()
        // A download that cannot be set aside is cancelled.
        _ = try service.answer(on: first, until: .cancel(task: 5), with: refusal)
        first.shutdown()
        let second = try service.accept()
        let repeated = try service.answer(on: second, until: .cancel(task: 5)) { .done(command: $0) }
        #expect(
            repeated == [
                .resume(task: 1), .suspend(task: 2), .setPriority(task: 2, 1), .cancel(task: 3),
                .authenticate(task: 4, user: "user", password: "password"), .suspend(task: 6), .cancel(task: 5),
            ])
    }

    @Test("a program that the service has refused sends its next command on another connection")
    func aRefusedProgramSendsNothing() throws {
        defer { service.stop(link) }
        let hasFailed = Monitor(false)
        link.perform(.listPrograms) { _ in hasFailed.update { $0 = true } }
        let first = try service.accept()
        #expect(try service.next(first)?.command == .listPrograms)
        try first.send(refusal(0).encoded)
        #expect(hasFailed.wait(until: Deadline.after(.seconds(10))) { $0 ? true : nil } == true)
        link.performUntilFinished(.cancel(task: 1), name: "cancel 1")
        #expect(try service.next(first, within: .milliseconds(200)) == nil)
        first.shutdown()
        let second = try service.accept()
        #expect(try service.next(second)?.command == .cancel(task: 1))
    }

    @Test("a list that the service cannot give is requested again")
    func aRefusedListIsRequestedAgain() async {
        let session = BackgroundURLSession(
            configuration: .background(withIdentifier: "films"), delegate: nil, delegateQueue: nil, link: link)
        let task = BackgroundDownloadTask(uuid: [], request: nil, snapshot: makeSnapshot(1), link: link)
        session.state.withLock { state in
            state.key = 1
            state.tasks.store(task, id: 1)
        }
        let lists = Monitor<[ClientCommand]>([])
        DispatchQueue.global().async { [self] in
            guard let socket = try? service.accept() else { return }
            for answer in [refusal, { .done(command: $0) }] {
                // The session waits for 10 s between its requests.
                guard let request = try? service.next(socket, within: .seconds(20)) else { return }
                lists.update { $0.append(request.command) }
                try? socket.send(answer(request.number).encoded)
            }
        }
        #expect(await session.allTasks.count == 1)
        #expect(lists.withLock { $0 } == [.list(session: 1), .list(session: 1)])
        service.stop(link)
    }
}
