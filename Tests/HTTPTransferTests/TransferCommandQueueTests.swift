import SystemCalls
import Testing

@testable import HTTPTransfer

@Suite struct TransferCommandQueueTests {
    /// Returns the names of the commands that are removed from a queue.
    private func removedNames(_ queue: TransferCommandQueue) -> [String] {
        queue.removeAll().map { command in
            switch command {
            case .start(let request, _): "start " + request.address
            case .resume: "resume"
            case .cancel: "cancel"
            case .close: "close"
            }
        }
    }

    @Test func commandsAreRemovedOnceAndInOrder() throws {
        let queue = try TransferCommandQueue(), channel = try TransferChannel()
        queue.post(.start(HTTPRequest("http://a/", options: HTTPOptions()), channel))
        queue.post(.resume(channel))
        queue.post(.cancel(channel))
        queue.post(.close)
        #expect(removedNames(queue) == ["start http://a/", "resume", "cancel", "close"])
        #expect(removedNames(queue) == [])
    }

    @Test func aCommandSignalsItsArrivalUntilItIsRemoved() throws {
        let queue = try TransferCommandQueue()
        #expect(try !Poll.waitReadable(queue.arrivalEvent.raw, until: 0))
        queue.post(.close)
        queue.post(.close)
        #expect(try Poll.waitReadable(queue.arrivalEvent.raw, until: 0))
        #expect(removedNames(queue).count == 2)
        #expect(try !Poll.waitReadable(queue.arrivalEvent.raw, until: 0))
    }
}
