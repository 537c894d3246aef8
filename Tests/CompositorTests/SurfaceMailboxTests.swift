import CompositorProtocol
import SystemCalls
import Testing

@testable import Compositor

@Suite struct SurfaceMailboxTests {
    private let wake: EventDescriptor
    private let mailbox: SurfaceMailbox

    init() throws {
        wake = try EventDescriptor()
        mailbox = try SurfaceMailbox(mainWake: wake)
    }

    private func session(_ client: UInt64, _ number: UInt32 = 1) -> SessionHandle {
        SessionHandle(key: SessionKey(client: client, session: number), serial: UInt64(number))
    }

    private func frameLengths(_ commands: [SurfaceCommand]) -> [UInt64] {
        commands.compactMap { command in if case .frames(_, let end) = command { end } else { nil } }
    }

    @Test("lengths of one ring are merged, but not across an announcement, and not with another session's")
    func mergesFrames() throws {
        mailbox.post(.frames(session(1), upTo: 1))
        mailbox.post(.frames(session(1, 2), upTo: 5))
        mailbox.post(.frames(session(1), upTo: 2))
        mailbox.post(.message(session(1), .dropSlot(session: 1, slot: 0), descriptors: []))
        mailbox.post(.frames(session(1), upTo: 3))
        mailbox.post(.frames(session(1), upTo: 4))
        let commands = try #require(mailbox.takeCommands())
        #expect(frameLengths(commands) == [2, 5, 4] && commands.count == 4)
    }

    @Test(
        "a program with too much undone work is held, alone, until some of it is done, and the main thread is woken then"
    )
    func holdsOneProgram() throws {
        for _ in 0..<SurfaceMailbox.pendingLimit {
            #expect(!mailbox.isHeld(1))
            mailbox.post(.close(session(1)))
        }
        for _ in 0..<1000 { mailbox.post(.frames(session(2), upTo: 1)) }
        #expect(mailbox.isHeld(1) && !mailbox.isHeld(2))
        let commands = try #require(mailbox.takeCommands())
        #expect(mailbox.isHeld(1), "taken is not done")
        #expect(!wake.drain())
        mailbox.finish(commands)
        #expect(wake.drain() && !mailbox.isHeld(1))
    }

    @Test func pendingReportsAreBounded() {
        for _ in 0..<16_384 { mailbox.report(.connected) }
        #expect(!mailbox.report(.connected))
        #expect(mailbox.takeReports().count == 16_384)
        #expect(mailbox.report(.connected))
    }

    @Test func progressIsReportedWhileCommandsArePending() throws {
        #expect(mailbox.progress == nil)
        mailbox.post(.close(session(1)))
        let first = try #require(mailbox.progress)
        let commands = try #require(mailbox.takeCommands())
        #expect(mailbox.progress == first)
        mailbox.post(.close(session(1)))
        mailbox.finish(commands)
        #expect(mailbox.progress.map { $0 != first } == true)
        mailbox.finish(try #require(mailbox.takeCommands()))
        #expect(mailbox.progress == nil)
    }

    @Test(
        "a thread that is to end does its commands first; one that is interrupted does not, and its connection ends, whichever comes first"
    )
    func ends() throws {
        mailbox.post(.close(session(1)))
        mailbox.end()
        #expect(mailbox.takeCommands()?.count == 1)
        #expect(mailbox.takeCommands() == nil)
        for isConnectedFirst in [false, true] {
            let other = try SurfaceMailbox(mainWake: wake), ended = try EventDescriptor()
            other.post(.close(session(1)))
            if isConnectedFirst { other.setInterrupt { ended.signal() } }
            other.interrupt()
            if !isConnectedFirst { other.setInterrupt { ended.signal() } }
            #expect(ended.drain() && other.takeCommands() == nil)
        }
    }
}
