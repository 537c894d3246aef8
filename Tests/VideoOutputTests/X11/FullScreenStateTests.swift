import Testing

@testable import VideoOutput

/// Explores the full-screen state together with a model of a window manager.
@Suite struct FullScreenStateTests {
    /// A step of one of the three participants.
    private enum Step: CaseIterable {
        /// The program requests a state.
        case requestOn, requestOff
        /// The event thread sends the pending request.
        case send
        /// The window manager carries out the oldest request, or changes the state at the user's wish.
        case carryOut, toggleByUser
        /// The window manager reports its state again, because another state of the window has changed.
        case repeatReport
        /// The event thread handles the oldest report.
        case handleReport
    }

    /// The full-screen state, and a window manager.
    private struct Model {
        var state: FullScreenState
        var sentRequests: [Bool] = []
        /// The state of the window in the window manager.
        var actualState = false
        var reports: [Bool] = []

        init(hasWindowManager: Bool) {
            state = FullScreenState(
                isOn: false, hasWindowManager: hasWindowManager, monitor: .current, frameBefore: nil, now: 0)
        }

        mutating func perform(_ step: Step) {
            switch step {
            case .requestOn: _ = state.request(true, now: 0)
            case .requestOff: _ = state.request(false, now: 0)
            case .send:
                guard let request = state.takeRequest(now: 0) else { return }
                if state.hasWindowManager { sentRequests.append(request) } else { actualState = request }
            case .carryOut:
                guard !sentRequests.isEmpty else { return }
                change(to: sentRequests.removeFirst())
            case .toggleByUser: if state.hasWindowManager { change(to: !actualState) }
            case .repeatReport: if state.hasWindowManager { reports.append(actualState) }
            case .handleReport: if !reports.isEmpty { _ = state.handleReport(reports.removeFirst()) }
            }
        }

        private mutating func change(to newState: Bool) {
            guard newState != actualState else { return }
            actualState = newState
            reports.append(newState)
        }

        /// Performs all steps that are due without the program or the user.
        mutating func settle() {
            // The second round sends the request that waited for the answer to an earlier one.
            for _ in 0..<2 {
                perform(.send)
                while !sentRequests.isEmpty { perform(.carryOut) }
                while !reports.isEmpty { perform(.handleReport) }
            }
        }
    }

    /// Calls `body` with each sequence of at most `length` steps.
    private func explore(
        _ model: Model, _ steps: [Step] = [], choices: [Step], length: Int, _ body: (Model, [Step]) -> Void
    ) {
        body(model, steps)
        guard length > 0 else { return }
        for step in choices {
            var next = model
            next.perform(step)
            explore(next, steps + [step], choices: choices, length: length - 1, body)
        }
    }

    @Test("after any requests the window has the requested state, and nothing stays pending", arguments: [true, false])
    func requestsSettle(hasWindowManager: Bool) {
        // From the second start, few steps lead to reports that answer no request.
        for start in [[], [Step.requestOn, .send, .requestOff, .send]] {
            var model = Model(hasWindowManager: hasWindowManager)
            for step in start { model.perform(step) }
            let choices = Step.allCases.filter { $0 != .toggleByUser }
            explore(model, start, choices: choices, length: start.isEmpty ? 6 : 5) { model, steps in
                var settled = model
                settled.settle()
                let isExpected = settled.state.isOn == model.state.isOn && settled.actualState == settled.state.isOn
                if !isExpected || settled.state.isPending { Issue.record("\(steps): \(settled)") }
            }
        }
    }

    @Test("a change by the user is followed once no request is pending") func userChangesAreFollowed() {
        explore(Model(hasWindowManager: true), choices: Step.allCases, length: 6) { model, steps in
            var settled = model
            settled.settle()
            guard !settled.state.isPending else { return }
            settled.perform(.toggleByUser)
            settled.settle()
            if settled.state.isOn != settled.actualState { Issue.record("\(steps): \(settled)") }
        }
    }

    @Test("a request that the window manager has ignored delays the next one only for a time")
    func ignoredRequestsExpire() {
        let limit = FullScreenState.answerTimeout
        var state = FullScreenState(
            isOn: false, hasWindowManager: true, monitor: .current, frameBefore: nil, now: 0)
        /// Requests a state at a time, and returns the state that is sent then.
        func request(_ isOn: Bool, at time: Int64) -> Bool? {
            _ = state.request(isOn, now: time)
            return state.takeRequest(now: time)
        }
        #expect(request(true, at: 0) == true)
        #expect(request(false, at: limit - 1) == nil, "the first request may still be answered")
        #expect(state.sendTime == limit)
        #expect(request(true, at: limit) == true, "the window manager has ignored the same request")
        #expect(state.sendTime == nil)
    }
}
