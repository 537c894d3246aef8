import SystemCalls
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCMailboxTests {
    private func isReadable(_ mailbox: IPCMailbox) throws -> Bool {
        try Poll.waitReadable(mailbox.descriptor, until: 0)
    }

    @Test func anEmptyMailboxIsNotReadable() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        #expect(try !isReadable(mailbox))
        let contents = mailbox.take()
        #expect(
            contents.events.isEmpty && contents.changedProperties.isEmpty && !contents.anyPropertyChanged
                && !contents.isClosing)
    }

    @Test func everythingIsTakenAtOnceAndInOrder() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        mailbox.post(IPCEvent("start-file"))
        mailbox.postChange(of: "pause")
        mailbox.post(IPCEvent("file-loaded"))
        mailbox.postChange(of: "pause")
        #expect(try isReadable(mailbox))
        let contents = mailbox.take()
        #expect(contents.events.map(\.name) == ["start-file", "file-loaded"])
        #expect(contents.changedProperties == ["pause"] && !contents.anyPropertyChanged && !contents.lostEvents)
        #expect(try !isReadable(mailbox))
    }

    @Test func eachPostAfterATakeWakesAgain() throws {
        let mailbox = try IPCMailbox(eventLimit: 4)
        for _ in 0..<3 {
            mailbox.postChange(of: "volume")
            #expect(try isReadable(mailbox))
            #expect(mailbox.take().changedProperties == ["volume"])
            #expect(try !isReadable(mailbox))
        }
    }

    @Test func eventsBeyondTheLimitAreLostAndThatIsSaidOnce() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        for name in ["a", "b", "c"] { mailbox.post(IPCEvent(name)) }
        let contents = mailbox.take()
        #expect(contents.events.map(\.name) == ["a", "b"] && contents.lostEvents)
        mailbox.post(IPCEvent("d"))
        #expect(!mailbox.take().lostEvents)
    }

    @Test func tooManyNamesMeanAnyProperty() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        for number in 0..<256 { mailbox.postChange(of: "\(number)") }
        var contents = mailbox.take()
        #expect(contents.changedProperties.count == 256 && !contents.anyPropertyChanged)
        for number in 0..<257 { mailbox.postChange(of: "\(number)") }
        contents = mailbox.take()
        #expect(contents.changedProperties.count == 256 && contents.anyPropertyChanged)
    }

    @Test func aChangeWithoutANameIsAnyProperty() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        mailbox.postChange(of: nil)
        #expect(mailbox.take().anyPropertyChanged)
    }

    @Test func closingStaysAfterItWasTaken() throws {
        let mailbox = try IPCMailbox(eventLimit: 2)
        mailbox.close()
        #expect(try isReadable(mailbox))
        #expect(mailbox.take().isClosing)
        #expect(mailbox.take().isClosing)
    }
}
