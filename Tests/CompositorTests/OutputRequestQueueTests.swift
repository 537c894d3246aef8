import AudioPolicy
import CompositorProtocol
import Testing

@testable import Compositor

@Suite struct OutputRequestQueueTests {
    /// Returns a request of a session, by default one whose result the session receives.
    private func request(
        _ session: UInt64, isSpeaker: Bool, replyKind: OutputOverride.Request.ReplyKind? = .outcome
    ) -> OutputOverride.Request {
        OutputOverride.Request(
            owner: AudioArbiter.ID(client: session, session: 1), isSpeaker: isSpeaker, replyKind: replyKind)
    }

    /// Adds requests, accepted or not.
    private func add(_ requests: [OutputOverride.Request], to queue: inout OutputRequestQueue) {
        for request in requests { _ = queue.add(request) }
    }

    /// Adds as many requests of the sessions 1000, 1001 and so on as the queue accepts.
    private func fill(_ queue: inout OutputRequestQueue) {
        var session: UInt64 = 1000
        while queue.add(request(session, isSpeaker: true)) { session += 1 }
    }

    @Test func entriesAreTakenInTheOrderOfTheirOldestRequests() {
        var queue = OutputRequestQueue()
        add(
            [request(1, isSpeaker: true), request(2, isSpeaker: true), request(1, isSpeaker: false)],
            to: &queue)
        let first = queue.takeFirst(), second = queue.takeFirst(), third = queue.takeFirst()
        #expect(first?.owner.client == 1 && first?.isSpeaker == false)
        #expect(second?.owner.client == 2 && second?.isSpeaker == true)
        #expect(third?.owner == nil)
    }

    @Test("the newest request of a session replaces older ones, and every request is answered in order")
    func newestRequestReplacesOlderRequests() {
        var queue = OutputRequestQueue()
        let refusedRequest = request(1, isSpeaker: true, replyKind: .refusal)
        add(
            [request(1, isSpeaker: true), request(1, isSpeaker: false), refusedRequest, request(1, isSpeaker: true)],
            to: &queue)
        #expect(queue.entries.count == 1 && queue.entries.first?.isSpeaker == true)
        let answers = queue.entries.first?.answers(for: .noSpeaker)
        #expect(answers == [.noSpeaker, .done, .notAllowed, .noSpeaker])
    }

    @Test func refusedRequestChangesNothing() {
        var queue = OutputRequestQueue()
        add([request(1, isSpeaker: true, replyKind: .refusal)], to: &queue)
        let entry = queue.takeFirst()
        #expect(entry?.isSpeaker == nil && entry?.answers(for: .done) == [.notAllowed])
    }

    @Test("a full queue keeps a request that ends the use of the speaker port", arguments: [true, false])
    func requestThatEndsTheUseIsNeverDropped(needsAnswer: Bool) {
        var queue = OutputRequestQueue()
        add([request(1, isSpeaker: true)], to: &queue)
        let current = queue.takeFirst()
        fill(&queue)
        // The caller answers a request that the queue does not accept.
        let isAccepted = queue.add(request(1, isSpeaker: false, replyKind: needsAnswer ? .outcome : nil))
        #expect(current?.isSpeaker == true && isAccepted == !needsAnswer)
        let entry = queue.entries.last
        #expect(entry?.owner.client == 1 && entry?.isSpeaker == false && entry?.answers(for: .done) == [])
    }

    @Test func requestsBeyondTheLimitAreNotAccepted() {
        var queue = OutputRequestQueue()
        fill(&queue)
        #expect(queue.entries.count == OutputRequestQueue.answerLimit)
        let isAccepted = queue.add(request(1, isSpeaker: true))
        #expect(!isAccepted && queue.entries.count == OutputRequestQueue.answerLimit)
    }

    @Test func pendingUseEndsWhileTheQueueIsFull() {
        var queue = OutputRequestQueue()
        fill(&queue)
        let isAccepted = queue.add(request(1000, isSpeaker: false))
        let entry = queue.entries.first
        #expect(!isAccepted && entry?.isSpeaker == false && entry?.answers(for: .done) == [.done])
    }

    @Test func endedSessionsDoNotFillTheQueueWhileTheSoundServerHangs() {
        var queue = OutputRequestQueue()
        fill(&queue)
        for session in 1...500 as ClosedRange<UInt64> {
            let requests = [
                request(session, isSpeaker: true), request(session, isSpeaker: false),
                request(session, isSpeaker: false, replyKind: nil),
            ]
            add(requests, to: &queue)
        }
        #expect(queue.entries.count == OutputRequestQueue.answerLimit)
    }

    @Test func repeatedRequestsOfASessionAreOneEntry() {
        var queue = OutputRequestQueue()
        for _ in 0..<500 {
            add([request(1, isSpeaker: true), request(1, isSpeaker: false, replyKind: nil)], to: &queue)
        }
        let entry = queue.entries.first
        #expect(queue.entries.count == 1 && entry?.isSpeaker == false)
        #expect(entry?.answers(for: .done).count == OutputRequestQueue.answerLimit)
    }
}
